import { err, ok, type Result } from '../../lib/result.ts';
import type {
  CommitId,
  Conflict,
  NoAnswer,
  TreeId,
  UnknownRevision,
  UnrelatedHistories,
} from '../../ports/repository.ts';
import { failed, resolveAll, resolveAs, type Git } from './git.ts';

export type MergeFailure = Conflict | UnrelatedHistories | UnknownRevision | NoAnswer;

/** Merges two commits in the object store; no checkout and no index is touched. */
export async function mergeTrees(
  git: Git,
  ours: CommitId,
  theirs: CommitId,
  unrelated: 'refuse' | 'allow' = 'refuse',
): Promise<Result<TreeId, MergeFailure>> {
  const known = await resolveAll(git, [ours, theirs]);
  if (!known.ok) return known;
  const args = [
    'merge-tree',
    '--write-tree',
    '-z',
    '--messages',
    ...(unrelated === 'allow' ? ['--allow-unrelated-histories'] : []),
    ours,
    theirs,
  ];
  const done = await git.run({ args });
  if (!done.ok) return done;
  const { code, stdout, stderr } = done.value;
  if (code === 1) return err(parseConflict(stdout.toString('utf8')));
  if (code === 0) return ok(stdout.toString('utf8').split('\0', 1)[0] ?? '');
  if (stderr.includes('unrelated histories')) return err({ kind: 'unrelated_histories' });
  return err(failed(args, done.value));
}

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
