import type { CommitId } from '../../ports/repository.ts';
import { isObjectId, type Git } from './git.ts';

/** Commits looked at before git itself is asked to search. */
const MOST = 20;

/**
 * Whether one commit is the other or stands a few steps behind it, as far as the objects themselves tell.
 * False only means that this did not show it: merges, rewrites and long histories are for git to search.
 */
export async function isNear(git: Git, ancestor: CommitId, of: CommitId): Promise<boolean> {
  if (!isObjectId(ancestor) || !isObjectId(of)) return false;
  let row = [of];
  for (let seen = 0; row.length > 0 && seen < MOST;) {
    const next: CommitId[] = [];
    for (const commit of row) {
      const parents = await parentsOf(git, commit);
      if (parents === null) return false;
      if (commit === ancestor) return true;
      seen += 1;
      next.push(...parents);
    }
    row = [...new Set(next)];
  }
  return false;
}

/** Null when it is no commit that git has. */
async function parentsOf(git: Git, commit: CommitId): Promise<CommitId[] | null> {
  const found = await git.staying.objects.ask({ expression: commit, want: 'contents' });
  if (!found.ok || found.value?.type !== 'commit') return null;
  const { bytes } = found.value;
  const end = bytes.indexOf('\n\n');
  return bytes
    .toString('latin1', 0, end < 0 ? bytes.length : end)
    .split('\n')
    .flatMap((line) => /^parent ([0-9a-f]+)$/.exec(line)?.[1] ?? []);
}
