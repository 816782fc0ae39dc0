import type { ServerResponse } from 'node:http';

/** What a model would be asked, in one shape for every vendor's protocol. */
export type Turn = {
  readonly protocol: ProtocolName;
  /** 1, 2, … per scenario and run key. */
  readonly request: number;
  readonly tools: readonly string[];
  /** True once the conversation holds the result of a tool. */
  readonly hasToolResult: boolean;
  readonly toolResults: number;
  /** The directory the agent said it works in. */
  readonly workplace: string;
};

/** What the model does with it. */
export type Reply =
  | { readonly kind: 'say'; readonly text: string }
  | { readonly kind: 'write'; readonly path: string; readonly content: string }
  | { readonly kind: 'use'; readonly tool: string; readonly input: Json }
  | { readonly kind: 'status'; readonly status: number; readonly retryAfter?: number }
  | { readonly kind: 'wait'; readonly ms: number; readonly reply: Reply }
  | ({ readonly kind: 'turn' } & ModelTurn)
  | { readonly kind: 'hang' }
  | { readonly kind: 'garbage' };

/** A turn told in detail; what is left out is as in a plain one. */
export type ModelTurn = {
  readonly text?: string;
  readonly calls?: readonly ToolCall[];
  readonly stop?: 'refused' | 'cut';
  readonly tokens?: { readonly input: number; readonly output: number } | null;
  /** It may also fall silent in the middle, break off, or end with an error. */
  readonly ending?: 'stall' | 'drop' | 'overloaded';
};

/** `raw` stands for arguments that are no JSON. */
export type ToolCall =
  | { readonly name: string; readonly input: Json }
  | { readonly name: string; readonly raw: string };

export const argumentsOf = (call: ToolCall): string =>
  'raw' in call ? call.raw : JSON.stringify(call.input);

/** A reply that is an answer in the vendor's own form. */
export type Answer = Extract<Reply, { kind: 'say' | 'write' | 'use' }>;

export type ProtocolName = 'anthropic' | 'openai-responses' | 'openai-chat' | 'gemini';

export type Protocol = {
  readonly name: ProtocolName;
  readonly matches: (path: string) => boolean;
  readonly read: (body: Json) => { tools: string[]; toolResults: number };
  readonly answer: (answer: Answer, body: Json, id: number, response: ServerResponse) => void;
  /** Streams a turn told in detail; only for the protocols that Convoy itself speaks. */
  readonly turn?: (turn: ModelTurn, body: Json, id: number, response: ServerResponse) => void;
};

export type Json = Readonly<Record<string, unknown>>;

export const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The objects in a list, whatever else is in it or in its place. */
export const objects = (value: unknown): Json[] =>
  Array.isArray(value) ? value.filter(isJson) : [];

export const text = (value: unknown): string => (typeof value === 'string' ? value : '');

export const TOKENS = { input: 100, output: 20 };

export function openStream(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' });
}

/** A server-sent event with a name. */
export function sendEvent(response: ServerResponse, data: { type: string } & Json): void {
  response.write(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`);
}

export function sendData(response: ServerResponse, data: Json | '[DONE]'): void {
  response.write(`data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`);
}

export function sendJson(response: ServerResponse, data: Json, status = 200): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(data));
}
