import { join } from 'node:path';
import type { Json, Reply, Turn } from './protocol.ts';

/** What the model does in one conversation; chosen by the address, so that runs share nothing. */
export type Scenario = (turn: Turn, body: Json) => Reply;

export const GREETING = 'export const greet = (name: string) => `hello ${name}`;\n';
const TOOLS_THAT_WRITE = [
  'Write',
  'apply_patch',
  'exec_command',
  'shell_command',
  'shell',
  'write',
  'write_file',
];

const say = (text: string): Reply => ({ kind: 'say', text });
const status = (code: number, retryAfter?: number): Reply =>
  retryAfter === undefined
    ? { kind: 'status', status: code }
    : { kind: 'status', status: code, retryAfter };

/** Writes one file, then says so. Side questions without tools get a short answer. */
const writes =
  (pathOf: (turn: Turn) => string): ((turn: Turn) => Reply) =>
  (turn) => {
    if (!turn.tools.some((tool) => TOOLS_THAT_WRITE.includes(tool))) return say('a greeting');
    if (turn.hasToolResult) return say('Done: wrote the greeting');
    return { kind: 'write', path: pathOf(turn), content: GREETING };
  };

const normal = writes(({ protocol, workplace }) =>
  protocol === 'openai-responses' ? 'greet.ts' : join(workplace, 'greet.ts'),
);

/** Writes the file, then says through Convoy's own tool that it is through. */
const callsDone: Scenario = (turn) => {
  if (turn.toolResults === 0) return normal(turn);
  const tool = turn.tools.find((name) => /convoy.*done$/.test(name));
  if (turn.toolResults > 1 || tool === undefined) return say('Done: handed it in');
  return { kind: 'use', tool, input: { reason: 'wrote the greeting' } };
};

/** The scenarios that an address can name: `/s/<name>/…` or `/s/<name>~<run>/…`. */
export const SCENARIOS: Readonly<Record<string, Scenario>> = {
  normal,
  'calls-done': callsDone,
  refusal: () => say('I cannot help with that.'),
  'no-key': () => status(401),
  'busy-twice': (turn) => (turn.request <= 2 ? status(429, 1) : normal(turn)),
  'busy-for-ever': () => status(429, 1),
  broken: () => status(500),
  slow: (turn) =>
    turn.hasToolResult ? { kind: 'wait', ms: 2000, reply: normal(turn) } : normal(turn),
  hang: () => ({ kind: 'hang' }),
  garbage: () => ({ kind: 'garbage' }),
  outside: writes(() => '/var/lib/convoy-forbidden/greet.ts'),
};
