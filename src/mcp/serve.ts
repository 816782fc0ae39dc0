import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  ErrorCode,
  ListToolsRequestSchema,
  McpError,
  type Tool as ListedTool,
} from '@modelcontextprotocol/sdk/types.js';
import * as z from 'zod';
import type { Client } from '../client/client.ts';
import type { Problem } from '../contract/problem.ts';
import { whoAmI } from '../contract/routes/tokens.ts';
import { ok, type Result } from '../lib/result.ts';
import { toolsOf } from './all-tools.ts';
import { type Streams, streamTransport } from './stream-transport.ts';
import type { Caller, Tool } from './tool.ts';

export type McpWish = Streams & {
  readonly client: Client;
  readonly version: string;
  readonly signal: AbortSignal;
};

/** Serves the tools of whoever the client speaks for, until the other end closes. */
export async function serveMcp(wish: McpWish): Promise<Result<null, Problem>> {
  const who = await wish.client.call(whoAmI, {});
  if (!who.ok) return who;
  const server = serverFor(wish.client, who.value, wish.version);
  const closed = Promise.withResolvers<null>();
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the library's own way, no event target
  server.onclose = () => closed.resolve(null);
  wish.signal.addEventListener('abort', () => closed.resolve(null), { once: true });
  await server.connect(streamTransport(wish));
  return ok(await closed.promise);
}

function serverFor(client: Client, caller: Caller, version: string): Server {
  const server = new Server(
    { name: 'convoy', title: 'Convoy', version },
    { capabilities: { tools: {} }, instructions: instructionsFor(caller) },
  );
  const tools = new Map(toolsOf(caller.role).map((tool) => [tool.name, tool]));
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: [...tools.values()].map(listed),
  }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }) => {
    const tool = tools.get(params.name);
    if (tool === undefined)
      throw new McpError(
        ErrorCode.InvalidParams,
        `There is no tool ${params.name} for a ${caller.role}.`,
      );
    return called(tool, params.arguments ?? {}, client, caller);
  });
  return server;
}

const instructionsFor = ({ role, task }: Caller): string =>
  role === 'worker'
    ? `You work on ${task ?? 'a task'}. Read it with prime, and call done when it is through.`
    : `You are a ${role} of Convoy.`;

const listed = ({ name, description, input }: Tool): ListedTool => {
  const { $schema: _, ...schema } = z.toJSONSchema(input, { io: 'input' });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the schema of an object says so
  return { name, description, inputSchema: schema as ListedTool['inputSchema'] };
};

async function called(
  tool: Tool,
  args: unknown,
  client: Client,
  caller: Caller,
): Promise<CallToolResult> {
  const parsed = tool.input.safeParse(args);
  if (!parsed.success) return refused(malformed(tool.name, parsed.error.issues));
  const answer = await tool.call(client, parsed.data, caller);
  if (!answer.ok) return refused(answer.error);
  return {
    content: [{ type: 'text', text: JSON.stringify(answer.value) }],
    structuredContent: { ...answer.value },
  };
}

/** Says which argument is wrong and how, so that a model can mend just that. */
function malformed(name: string, issues: readonly z.core.$ZodIssue[]): Problem {
  const fields = issues.map((issue) =>
    issue.code === 'unrecognized_keys'
      ? { path: [...issue.path, issue.keys[0] ?? ''].join('.'), message: 'is not known here' }
      : { path: issue.path.join('.'), message: issue.message },
  );
  return {
    kind: 'invalid',
    code: 'invalid_arguments',
    message: fields.map(({ path, message }) => `${path}: ${message}`).join('; '),
    remedy: `Call ${name} again with these arguments mended.`,
    fields,
  };
}

/** A no is an answer that the model reads, with everything it needs to do better. */
const refused = ({ kind, ...problem }: Problem): CallToolResult => ({
  isError: true,
  content: [{ type: 'text', text: JSON.stringify({ error: { ...problem, kind } }) }],
});
