import { repoName, type RepoName } from '../work/ids.ts';
import type { Criterion, TaskCore } from '../work/task.ts';
import { fieldsFrom, isFields, textOf, type Fields } from './fields.ts';

/** The one field in which our own words travel; a reader of beads skips what it does not know. */
export const OWN_FIELD = '_convoy';

/** Words of ours that a row may carry; absent means that the row says nothing about it. */
export type OwnWords = {
  readonly repo?: RepoName;
  readonly agent?: string;
  readonly verify?: readonly (readonly string[])[];
  readonly ownBranch?: boolean;
  readonly acceptance?: readonly Criterion[];
  readonly childCount?: number;
  readonly state?: Fields;
};

export function readOwnWords(value: unknown): OwnWords {
  if (!isFields(value)) return {};
  const repo = textOf(value['repo']);
  const agent = textOf(value['agent']);
  const count = value['children'];
  return {
    ...(repo ? { repo: repoName(repo) } : {}),
    ...(agent ? { agent } : {}),
    ...(isVerify(value['verify']) ? { verify: value['verify'] } : {}),
    ...(typeof value['own_branch'] === 'boolean' ? { ownBranch: value['own_branch'] } : {}),
    ...(isAcceptance(value['acceptance']) ? { acceptance: value['acceptance'] } : {}),
    ...(isCount(count) ? { childCount: count } : {}),
    ...(isFields(value['state']) ? { state: value['state'] } : {}),
  };
}

type Own = Pick<TaskCore, 'agent' | 'verify' | 'ownBranch' | 'childCount'> & {
  readonly repo: RepoName | null;
  /** Only when the text of the other tool does not say it all. */
  readonly acceptance: readonly Criterion[] | null;
  readonly state: Fields | null;
};

export function writeOwnWords(own: Own): Fields | undefined {
  const fields = fieldsFrom([
    ['repo', own.repo ?? undefined],
    ['agent', own.agent ?? undefined],
    ['verify', own.verify ?? undefined],
    ['own_branch', own.ownBranch || undefined],
    ['acceptance', own.acceptance?.map(({ text, done }) => ({ text, done }))],
    ['children', own.childCount || undefined],
    ['state', own.state ?? undefined],
  ]);
  return Object.keys(fields).length === 0 ? undefined : fields;
}

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const isVerify = (value: unknown): value is string[][] =>
  Array.isArray(value) &&
  value.every((argv) => Array.isArray(argv) && argv.length > 0 && argv.every(isText));

const isAcceptance = (value: unknown): value is Criterion[] =>
  Array.isArray(value) &&
  value.every(
    (each) => isFields(each) && isText(each['text']) && typeof each['done'] === 'boolean',
  );

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0;
