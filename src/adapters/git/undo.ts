import { lstat, readFile, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import type { CommitId, NoAnswer } from '../../ports/repository.ts';
import { attempt } from './checkout.ts';
import { fields, type Git } from './git.ts';
import type { JournalEntry } from './journal.ts';

/**
 * Puts the files of a half-moved checkout back to where they were.
 *
 * Only files that are provably git's own doing are touched: those that equal the new version, a
 * beginning of it, or are missing. Anything else was changed by the user and is left and named.
 */
export async function undoFiles(
  git: Git,
  entry: JournalEntry,
  index: string,
): Promise<Result<readonly string[], NoAnswer>> {
  const inside = git.inside(entry);
  const changes = await changesOf(git, entry);
  if (!changes.ok) return changes;
  const unlikeNew = await differingFrom(inside, entry.to, index);
  if (!unlikeNew.ok) return unlikeNew;
  // Last, because the files are then written from this very index.
  const unlikeOld = await differingFrom(inside, entry.from, index);
  if (!unlikeOld.ok) return unlikeOld;
  const kept: string[] = [];
  const rewrite: string[] = [];
  const remove: string[] = [];
  for (const change of changes.value) {
    const verdict = await judge(inside, entry, change, unlikeOld.value, unlikeNew.value);
    if (verdict === 'kept') kept.push(change.path);
    if (verdict === 'put back') (change.before ? rewrite : remove).push(change.path);
  }
  const removed = await attempt('remove files of a landing', () => removeAll(entry.path, remove));
  if (!removed.ok) return removed;
  const restored = await inside.read(['checkout-index', '-f', '-z', '--stdin'], {
    env: { GIT_INDEX_FILE: index },
    input: rewrite.map((path) => `${path}\0`).join(''),
  });
  return restored.ok ? ok(kept) : restored;
}

/** Whether a commit has the path, before and after. */
type Change = { readonly path: string; readonly before: boolean; readonly after: boolean };

async function changesOf(git: Git, entry: JournalEntry): Promise<Result<Change[], NoAnswer>> {
  const args = ['diff-tree', '-r', '-z', '--raw', '--no-renames', entry.from, entry.to, '--'];
  const listed = await git.read(args);
  if (!listed.ok) return listed;
  const parts = fields(listed.value);
  const changes: Change[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [before = '', after = ''] = (parts[at] ?? '').slice(1).split(' ');
    // A submodule's files are never moved.
    if (before === '160000' || after === '160000') continue;
    const path = parts[at + 1] ?? '';
    changes.push({ path, before: before !== '000000', after: after !== '000000' });
  }
  return ok(changes);
}

/** Paths of a commit whose files are missing or not as it has them. */
async function differingFrom(
  git: Git,
  commit: CommitId,
  index: string,
): Promise<Result<ReadonlySet<string>, NoAnswer>> {
  const env = { GIT_INDEX_FILE: index };
  const read = await git.read(['read-tree', commit], { env });
  if (!read.ok) return read;
  const refreshed = await git.run({ args: ['update-index', '-q', '--refresh'], env });
  if (!refreshed.ok) return refreshed;
  const args = ['diff-files', '--name-only', '-z', '--ignore-submodules=all', '--'];
  const listed = await git.read(args, { env });
  return listed.ok ? ok(new Set(fields(listed.value))) : listed;
}

async function judge(
  git: Git,
  entry: JournalEntry,
  { path, before, after }: Change,
  unlikeOld: ReadonlySet<string>,
  unlikeNew: ReadonlySet<string>,
): Promise<'as before' | 'put back' | 'kept'> {
  if (await isBehindSymlink(entry.path, path)) return 'kept';
  const file = join(entry.path, path);
  const missing = (await lstat(file).catch(() => null)) === null;
  if (before ? !unlikeOld.has(path) : missing) return 'as before';
  if (missing || (after && !unlikeNew.has(path))) return 'put back';
  return after && (await isBeginning(git, entry, path)) ? 'put back' : 'kept';
}

/** A file git had begun to write when it was killed. */
async function isBeginning(git: Git, entry: JournalEntry, path: string): Promise<boolean> {
  const file = join(entry.path, path);
  if (!(await lstat(file)).isFile()) return false;
  const whole = await git.run({ args: ['cat-file', '--filters', `${entry.to}:${path}`] });
  if (!whole.ok || whole.value.code !== 0) return false;
  const part = await readFile(file);
  return whole.value.stdout.subarray(0, part.length).equals(part);
}

async function isBehindSymlink(root: string, path: string): Promise<boolean> {
  const folders = path.split('/').slice(0, -1);
  for (let depth = 1; depth <= folders.length; depth += 1) {
    const found = await lstat(join(root, ...folders.slice(0, depth))).catch(() => null);
    if (found?.isSymbolicLink() === true) return true;
  }
  return false;
}

async function removeAll(root: string, paths: readonly string[]): Promise<void> {
  for (const path of paths) {
    await rm(join(root, path), { force: true });
    for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
      const emptied = await rmdir(join(root, folder)).then(
        () => true,
        () => false,
      );
      if (!emptied) break;
    }
  }
}
