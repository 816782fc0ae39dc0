import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json as jsonOf } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { unreachable } from '../../../src/lib/unreachable.ts';
import { anthropic } from './anthropic.ts';
import { gemini } from './gemini.ts';
import { openaiChat } from './openai-chat.ts';
import { openaiResponses } from './openai-responses.ts';
import { isJson, type Json, type Protocol, type Reply, sendJson, type Turn } from './protocol.ts';
import { type Scenario, SCENARIOS } from './scenarios.ts';

export type ModelServer = AsyncDisposable & {
  readonly url: string;
  /** Every question a model was asked, in order. */
  readonly asked: readonly Asked[];
  /** The same questions as they came over the wire. */
  readonly bodies: readonly { readonly scenario: string; readonly body: Json }[];
};

export type Asked = Turn & { readonly scenario: string; readonly key: string };

const PROTOCOLS: readonly Protocol[] = [anthropic, openaiResponses, openaiChat, gemini];

/** A model on loopback that speaks four vendors' protocols and does what the address says. */
export async function startModelServer(
  scenarios: Readonly<Record<string, Scenario>> = SCENARIOS,
): Promise<ModelServer> {
  const asked: Asked[] = [];
  const bodies: { scenario: string; body: Json }[] = [];
  const server = createServer((request, response) => {
    serve(request, response, scenarios, { asked, bodies }).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    asked,
    bodies,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function serve(
  request: IncomingMessage,
  response: ServerResponse,
  scenarios: Readonly<Record<string, Scenario>>,
  { asked, bodies }: { asked: Asked[]; bodies: { scenario: string; body: Json }[] },
): Promise<void> {
  const path = (request.url ?? '').split('?')[0] ?? '';
  const scenario = /^\/s\/([^/]+)\//.exec(path)?.[1] ?? 'normal';
  const behave = scenarios[scenario.split('~')[0] ?? ''];
  const protocol = PROTOCOLS.find((one) => one.matches(path));
  if (behave === undefined || protocol === undefined || request.method !== 'POST')
    return aside(request, response, path);
  const body: unknown = await jsonOf(request);
  if (!isJson(body)) return sendJson(response, { error: 'an object was expected' }, 400);
  const { tools, toolResults } = protocol.read(body);
  const turn: Asked = {
    scenario,
    protocol: protocol.name,
    request: asked.filter((earlier) => earlier.scenario === scenario).length + 1,
    tools,
    toolResults,
    hasToolResult: toolResults > 0,
    workplace: workplaceIn(JSON.stringify(body)),
    key: keyOf(request),
  };
  asked.push(turn);
  bodies.push({ scenario, body });
  return give(behave(turn, body), protocol, body, asked.length, response);
}

async function give(
  reply: Reply,
  protocol: Protocol,
  body: Json,
  id: number,
  response: ServerResponse,
): Promise<void> {
  switch (reply.kind) {
    case 'say':
    case 'write':
    case 'use':
      return protocol.answer(reply, body, id, response);
    case 'turn':
      if (protocol.turn === undefined || body['stream'] !== true)
        return sendJson(response, { error: 'no turns in detail here' }, 501);
      return protocol.turn(reply, body, id, response);
    case 'status':
      if (reply.retryAfter !== undefined)
        response.setHeader('retry-after', String(reply.retryAfter));
      return sendJson(response, refusal(reply.status), reply.status);
    case 'wait':
      await pause(reply.ms);
      return give(reply.reply, protocol, body, id, response);
    case 'hang':
      return undefined;
    case 'garbage':
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('event: message_start\ndata: {"type":"message_st\n\ndata: }}}\n\n');
      return undefined;
    default:
      return unreachable(reply);
  }
}

const ERROR_TYPES: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  429: 'rate_limit_error',
  529: 'overloaded_error',
};

const refusal = (status: number): Json => ({
  type: 'error',
  error: {
    type: ERROR_TYPES[status] ?? 'api_error',
    code: status,
    status: String(status),
    message: `the fake model answers ${status}`,
  },
});

/** What clients ask beside the model. */
function aside(request: IncomingMessage, response: ServerResponse, path: string): void {
  if (path.endsWith('/count_tokens')) return sendJson(response, { input_tokens: 100 });
  if (path.endsWith(':countTokens')) return sendJson(response, { totalTokens: 100 });
  if (request.method === 'GET' && path.endsWith('/models'))
    return sendJson(response, { object: 'list', data: [{ id: 'fake-model', object: 'model' }] });
  return sendJson(response, { error: { message: `no ${request.method} ${path} here` } }, 404);
}

/** Clients tell the model where they work, each in its own words. */
function workplaceIn(body: string): string {
  const said =
    /working in the following director[a-z]*:?\\n\s*- ([^\\"\n]+)/.exec(body) ??
    /[Ww]orking directory: ([^\\"\n]+)/.exec(body) ??
    /Workspace Directories:\*{0,2}\\n\s*- ([^\\"\n]+)/.exec(body);
  return said?.[1]?.trim() ?? '.';
}

const keyOf = (request: IncomingMessage): string =>
  [
    request.headers['x-api-key'],
    request.headers.authorization?.replace(/^Bearer /, ''),
    request.headers['x-goog-api-key'],
  ]
    .flat()
    .find((key) => key !== undefined) ?? '';
