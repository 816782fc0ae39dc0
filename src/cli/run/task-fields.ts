import type { OptionsOf, Shape } from '../command.ts';
import type { TASK_FIELDS } from '../commands/task-options.ts';
import type { CommandContext } from '../context.ts';
import { Stop } from '../stop.ts';

type TaskFields = OptionsOf<Shape & { options: typeof TASK_FIELDS }>;

const PRIORITIES = { P0: 0, P1: 1, P2: 2, P3: 3, P4: 4, 0: 0, 1: 1, 2: 2, 3: 3, 4: 4 } as const;

/** The named fields of a task as the API wants them; what was not named is undefined. */
export async function taskFields(options: TaskFields, stdin: CommandContext['stdin']) {
  return {
    description: options.description === '-' ? await textOf(stdin) : options.description,
    type: options.type,
    priority: options.priority === undefined ? undefined : PRIORITIES[options.priority],
    acceptance: some(options.acceptance)?.map((text) => ({ text, done: false })),
    estimate_minutes: options.estimate,
    metadata: options.metadata === undefined ? undefined : objectFrom(options.metadata),
    verify: some(options.verify)?.map((command) => ['sh', '-c', command]),
    own_branch: options.ownBranch,
    labels: some(options.label),
    external_ref: options.externalRef,
    agent: options.agent,
    assignee: options.assignee,
    repo: options.repo,
    parent: options.parent,
    due_at: isoTime(options.due),
    defer_until: isoTime(options.defer),
  };
}

export const some = <T>(list: readonly T[]): T[] | undefined =>
  list.length === 0 ? undefined : [...list];

/** A day or a local time becomes exact; what is no time is left for the API to refuse. */
function isoTime(text: string | undefined): string | undefined {
  if (text === undefined || Number.isNaN(Date.parse(text))) return text;
  return new Date(text).toISOString();
}

async function textOf(stdin: CommandContext['stdin']): Promise<string> {
  let text = '';
  stdin.setEncoding('utf8');
  for await (const chunk of stdin) text += String(chunk);
  return text;
}

function objectFrom(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    if (isObject(value)) return value;
  } catch {
    // Not JSON at all is refused like JSON of another kind.
  }
  throw new Stop({
    kind: 'invalid',
    code: 'invalid_argument',
    message: '--metadata must be a JSON object',
    remedy: `For example --metadata '{"ticket":"A-1"}'`,
  });
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
