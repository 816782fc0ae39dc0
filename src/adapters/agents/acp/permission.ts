import { isJson, type Json, objectsIn, textIn } from '../json.ts';

export type Permissions = 'worktree' | 'ask' | 'deny';

export type Answer = { readonly allowed: boolean; readonly why: string };

/** Changes that are nothing without a place: one that names none cannot be weighed. */
const NEEDS_A_PATH: readonly string[] = ['edit', 'delete', 'move'];

/** The answer that needs nobody: what a tool call may do, by the paths it names. */
export function answerTo(
  kind: string,
  paths: readonly string[],
  permissions: Exclude<Permissions, 'ask'>,
  isInside: (path: string) => boolean,
): Answer {
  if (permissions === 'deny') return no('every request is refused (permissions = "deny")');
  // A mode may be one that never asks again.
  if (kind === 'switch_mode') return no('the mode is not changed during an attempt');
  const outside = paths.find((path) => !isInside(path));
  if (outside !== undefined) return no(`${outside} is outside the worktree`);
  if (paths.length === 0 && NEEDS_A_PATH.includes(kind))
    return no(`it does not say what it would ${kind}`);
  return { allowed: true, why: paths.length === 0 ? 'no path named' : 'inside the worktree' };
}

const no = (why: string): Answer => ({ allowed: false, why });

/** Every path that tool calls name: where they look, what they change, what they are given. */
export function pathsIn(...calls: readonly Json[]): string[] {
  const all = calls.flatMap((call) => [
    ...objectsIn(call, 'locations').map((place) => textIn(place, 'path')),
    ...objectsIn(call, 'content')
      .filter(({ type }) => type === 'diff')
      .map((diff) => textIn(diff, 'path')),
    ...pathsOfInput(call['rawInput'], DEEPEST),
  ]);
  return [...new Set(all.filter((path) => path !== ''))];
}

const DEEPEST = 5;
const PATH_WORDS = new Set(
  'path paths file files filename filepath dir directory folder cwd workdir uri'.split(' '),
);

function pathsOfInput(input: unknown, deep: number): string[] {
  if (deep === 0) return [];
  if (Array.isArray(input)) return input.flatMap((one) => pathsOfInput(one, deep - 1));
  if (!isJson(input)) return [];
  return Object.entries(input).flatMap(([key, value]) =>
    namesPath(key) ? textsOf(value, deep) : pathsOfInput(value, deep - 1),
  );
}

/** `filePath`, `notebook_path`, `files`, but not `profile`. */
function namesPath(key: string): boolean {
  const words = key
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/);
  return PATH_WORDS.has(words.at(-1) ?? '');
}

function textsOf(value: unknown, deep: number): string[] {
  const parts: unknown[] = Array.isArray(value) ? value : [value];
  return parts.flatMap((part) =>
    typeof part === 'string' ? (isWeb(part) ? [] : [part]) : pathsOfInput(part, deep - 1),
  );
}

const isWeb = (text: string): boolean => /^https?:\/\//i.test(text);

export type Outcome = { outcome: 'selected'; optionId: string } | { outcome: 'cancelled' };

/**
 * The option that says it. A yes is for this once: a lasting one would take away the next question.
 */
export function outcomeOf(allowed: boolean, options: readonly Json[]): Outcome {
  const kinds = allowed ? ['allow_once'] : ['reject_once', 'reject_always'];
  for (const kind of kinds) {
    const option = options.find((one) => one['kind'] === kind);
    if (option !== undefined) return { outcome: 'selected', optionId: textIn(option, 'optionId') };
  }
  return { outcome: 'cancelled' };
}
