import { lstat, readFile, readlink, rm, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import type { NoAnswer } from '../../ports/repository.ts';
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
  const kept: string[] = [];
  const rewrite: string[] = [];
  const remove: string[] = [];
  for (const change of changes.value) {
    const verdict = await judge(inside, entry, change);
    if (verdict === 'kept') kept.push(change.path);
    if (verdict === 'put back') (change.before === null ? remove : rewrite).push(change.path);
  }
  const removed = await attempt('remove files of a landing', () => removeAll(entry.path, remove));
  if (!removed.ok) return removed;
  const env = { GIT_INDEX_FILE: index };
  const read = await inside.read(['read-tree', entry.from], { env });
  if (!read.ok) return read;
  const input = rewrite.map((path) => `${path}\0`).join('');
  const restored = await inside.read(['checkout-index', '-f', '-z', '--stdin'], { env, input });
  return restored.ok ? ok(kept) : restored;
}

type Blob = { readonly id: string; readonly symlink: boolean };
type Change = { readonly path: string; readonly before: Blob | null; readonly after: Blob | null };

async function changesOf(git: Git, entry: JournalEntry): Promise<Result<Change[], NoAnswer>> {
  const listed = await git.read([
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--no-renames',
    '--no-abbrev',
    entry.from,
    entry.to,
    '--',
  ]);
  if (!listed.ok) return listed;
  const parts = fields(listed.value);
  const changes: Change[] = [];
  for (let at = 0; at + 1 < parts.length; at += 2) {
    const [oldMode = '', newMode = '', before = '', after = ''] = (parts[at] ?? '')
      .slice(1)
      .split(' ');
    // A submodule's files are never moved.
    if (oldMode === '160000' || newMode === '160000') continue;
    const path = parts[at + 1] ?? '';
    changes.push({ path, before: blob(oldMode, before), after: blob(newMode, after) });
  }
  return ok(changes);
}

const blob = (mode: string, id: string): Blob | null =>
  mode === '000000' ? null : { id, symlink: mode === '120000' };

async function judge(
  git: Git,
  entry: JournalEntry,
  change: Change,
): Promise<'as before' | 'put back' | 'kept'> {
  if (await isBehindSymlink(entry.path, change.path)) return 'kept';
  const there = await contentAt(git, join(entry.path, change.path), change.path);
  if (same(there, change.before)) return 'as before';
  if (there === null || same(there, change.after)) return 'put back';
  return (await isBeginning(git, entry, change)) ? 'put back' : 'kept';
}

const same = (a: Blob | null, b: Blob | null): boolean =>
  a === null || b === null ? a === b : a.id === b.id && a.symlink === b.symlink;

/** Null when there is nothing; a directory or device equals no blob. */
async function contentAt(git: Git, file: string, path: string): Promise<Blob | null> {
  const found = await lstat(file).catch(() => null);
  if (found === null) return null;
  if (found.isSymbolicLink()) {
    const target = await readlink(file);
    const hashed = await git.read(['hash-object', '--stdin', '--no-filters'], { input: target });
    return { id: hashed.ok ? hashed.value.trim() : '', symlink: true };
  }
  if (!found.isFile()) return { id: '', symlink: false };
  const hashed = await git.read(['hash-object', '--stdin', `--path=${path}`], {
    input: await readFile(file),
  });
  return { id: hashed.ok ? hashed.value.trim() : '', symlink: false };
}

/** A file git had begun to write when it was killed. */
async function isBeginning(git: Git, entry: JournalEntry, change: Change): Promise<boolean> {
  const file = join(entry.path, change.path);
  if (change.after === null || change.after.symlink) return false;
  if (!(await lstat(file)).isFile()) return false;
  const whole = await git.run({ args: ['cat-file', '--filters', `${entry.to}:${change.path}`] });
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
