import type { CommitId, CommitInfo } from '../../ports/repository.ts';
import { isObjectId, type Git } from './git.ts';

/** Commits looked at before git itself is asked to search. */
const MOST = 64;

/**
 * Whether one commit is the other or stands a few steps behind it, as far as the objects themselves tell.
 * False only means that this did not show it: merges, rewrites and long histories are for git to search.
 */
export async function isNear(git: Git, ancestor: CommitId, of: CommitId): Promise<boolean> {
  if (!isObjectId(ancestor) || !isObjectId(of)) return false;
  let row = [of];
  for (let seen = 0; row.length > 0 && seen < MOST;) {
    const parents = await Promise.all(row.map((commit) => parentsOf(git, commit)));
    if (!parents.every((each) => each !== null)) return false;
    if (row.includes(ancestor)) return true;
    seen += row.length;
    row = [...new Set(parents.flat())];
  }
  return false;
}

/**
 * The commits from one down to another, newest first, where they are few and stand in one line: what an
 * agent leaves. Null when git has to be asked.
 */
export async function nearCommits(
  git: Git,
  base: CommitId,
  head: CommitId,
): Promise<readonly CommitInfo[] | null> {
  if (!isObjectId(base) || !isObjectId(head)) return null;
  const found: CommitInfo[] = [];
  for (let commit = head; commit !== base;) {
    const read = found.length < MOST ? await readCommit(git, commit) : null;
    const [parent, ...others] = read?.parents ?? [];
    if (read?.info == null || parent === undefined || others.length > 0) return null;
    found.push(read.info);
    commit = parent;
  }
  // The base itself must be there too.
  return (await readCommit(git, base)) === null ? null : found;
}

/** Null when it is no commit that git has. */
async function parentsOf(git: Git, commit: CommitId): Promise<CommitId[] | null> {
  return (await readCommit(git, commit))?.parents ?? null;
}

async function readCommit(
  git: Git,
  commit: CommitId,
): Promise<{ parents: CommitId[]; info: CommitInfo | null } | null> {
  const found = await git.staying.objects.ask({ expression: commit, want: 'contents' });
  if (!found.ok || found.value?.type !== 'commit') return null;
  const { bytes } = found.value;
  const end = bytes.indexOf('\n\n');
  const head = bytes.toString('utf8', 0, end < 0 ? bytes.length : end).split('\n');
  return {
    parents: head.flatMap((line) => /^parent ([0-9a-f]+)$/.exec(line)?.[1] ?? []),
    info: infoOf(commit, head, end < 0 ? '' : bytes.toString('utf8', end + 2)),
  };
}

/** As `git log` tells it; null for what only git knows to read, such as another encoding. */
function infoOf(commit: CommitId, head: readonly string[], message: string): CommitInfo | null {
  if (head.some((line) => line.startsWith('encoding '))) return null;
  const by = head.flatMap((line) => /^author (.*) <(.*)> (\d+) [+-]\d{4}$/.exec(line) ?? []);
  const [, author, email, seconds] = by;
  if (author === undefined || email === undefined || seconds === undefined) return null;
  const lines = message.replace(/^(?:[^\S\n]*\n)+/, '').split('\n');
  const end = lines.findIndex((line) => line.trim() === '');
  const subject = (end < 0 ? lines : lines.slice(0, end)).map((line) => line.trimEnd()).join(' ');
  return { commit, author, email, authoredAt: Number(seconds) * 1000, subject };
}
