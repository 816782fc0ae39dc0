import { err, ok, type Result } from '../../lib/result.ts';
import type {
  CommitId,
  Conflict,
  NoAnswer,
  TreeId,
  UnknownRevision,
  UnrelatedHistories,
} from '../../ports/repository.ts';
import { attributesOf } from './attributes.ts';
import { about, isObjectId, resolveAs, type Git } from './git.ts';
import type { GitOutput } from './run.ts';

export type MergeFailure = Conflict | UnrelatedHistories | UnknownRevision | NoAnswer;

/** Merges two commits in the object store; no checkout and no index is touched. */
export async function mergeTrees(
  git: Git,
  ours: CommitId,
  theirs: CommitId,
  unrelated: 'refuse' | 'allow' = 'refuse',
): Promise<Result<TreeId, MergeFailure>> {
  const attributes = await attributesOf(git, ours);
  if (!attributes.ok) return attributes;
  const stayed = await askStaying(git, attributes.value, { ours, theirs, unrelated });
  if (stayed !== null) return stayed;
  const args = [
    'merge-tree',
    '--write-tree',
    '-z',
    '--messages',
    ...(unrelated === 'allow' ? ['--allow-unrelated-histories'] : []),
    ours,
    theirs,
  ];
  const here = attributes.value === null ? {} : { cwd: attributes.value };
  const done = await about(git, [ours, theirs], { args, ...here }, isMerge);
  if (!done.ok) return err(isUnrelated(done.error) ? { kind: 'unrelated_histories' } : done.error);
  const output = done.value.stdout.toString('utf8');
  return done.value.code === 1 ? err(parseConflict(output)) : ok(output.split('\0', 1)[0] ?? '');
}

/** By the git that stays; null when it did not answer, and one of its own must say why. */
async function askStaying(
  git: Git,
  folder: string | null,
  { ours, theirs, unrelated }: { ours: CommitId; theirs: CommitId; unrelated: 'refuse' | 'allow' },
): Promise<Result<TreeId, MergeFailure> | null> {
  if (unrelated === 'allow' || !isObjectId(ours) || !isObjectId(theirs)) return null;
  const said = await git.staying.merges(folder ?? git.view.nowhere).ask({ ours, theirs });
  if (!said.ok) return said.error.kind === 'stopped' ? said : null;
  const { clean, output } = said.value;
  return clean ? ok(output.split('\0', 1)[0] ?? '') : err(parseConflict(output));
}

/** Exit 1 means a conflict, but also an unknown commit; only a merge begins with its tree. */
const isMerge = ({ code, stdout }: GitOutput): boolean =>
  (code === 0 || code === 1) &&
  /^[0-9a-f]{40,64}\0/.test(stdout.subarray(0, 65).toString('latin1'));

const isUnrelated = (error: UnknownRevision | NoAnswer): boolean =>
  error.kind === 'errored' && error.detail.includes('unrelated histories');

/** True when merging the source once more would leave the target's tree as it is. */
export async function alreadyContained(
  git: Git,
  source: CommitId,
  target: CommitId,
): Promise<Result<boolean, UnknownRevision | NoAnswer>> {
  const tree = await resolveAs(git, target, 'tree');
  if (!tree.ok) return tree;
  const merged = await mergeTrees(git, target, source);
  if (merged.ok) return ok(merged.value === tree.value);
  if (merged.error.kind === 'conflict' || merged.error.kind === 'unrelated_histories') {
    return ok(false);
  }
  return err(merged.error);
}

/**
 * Reads `merge-tree -z` of a conflicted merge: tree, one field per stage, an empty field, then
 * messages as count, that many paths, a short type and the text.
 */
export function parseConflict(output: string): Conflict {
  const parts = output.split('\0');
  const end = parts.indexOf('', 1);
  const staged = parts
    .slice(1, end < 0 ? parts.length : end)
    .flatMap((part) => part.match(/^\d+ [0-9a-f]+ [123]\t(.*)$/s)?.[1] ?? []);
  const notices = end < 0 ? [] : parseNotices(parts.slice(end + 1));
  const named = notices.flatMap(({ sort, paths }) => (sort.startsWith('CONFLICT') ? paths : []));
  return {
    kind: 'conflict',
    files: [...new Set([...staged, ...named])],
    messages: notices
      .filter(({ sort, text }) => sort !== 'Auto-merging' && text !== '')
      .map(({ text }) => text),
  };
}

type Notice = { readonly paths: readonly string[]; readonly sort: string; readonly text: string };

function parseNotices(parts: readonly string[]): Notice[] {
  const notices: Notice[] = [];
  for (let at = 0; /^\d+$/.test(parts[at] ?? '');) {
    const end = at + 1 + Number(parts[at]);
    const [sort = '', text = ''] = parts.slice(end, end + 2);
    notices.push({ paths: parts.slice(at + 1, end), sort, text: text.trim() });
    at = end + 2;
  }
  return notices;
}
