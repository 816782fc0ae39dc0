import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type { NoAnswer, TargetCheckoutDirty } from '../../ports/repository.ts';
import { attempt } from './checkout.ts';
import { settings } from './environment.ts';
import { fields, type Git } from './git.ts';
import { filesInTheWay } from './in-the-way.ts';
import type { Journal, JournalEntry } from './journal.ts';
import { errored, ioFailed, type RunGit } from './run.ts';
import { readSettings } from './view.ts';
import { unfinishedIn } from './work-state.ts';

export type CheckoutRefusal = TargetCheckoutDirty | NoAnswer;

export type MoveParts = { readonly git: Git; readonly journal: Journal; readonly runGit: RunGit };

/**
 * Says no unless the checkout is exactly its branch's commit and nothing is in the way of the move; only
 * copies of its index are written.
 */
export async function checkMovable(
  parts: MoveParts,
  entry: JournalEntry,
): Promise<Result<Movable, CheckoutRefusal>> {
  const { git, journal, runGit } = parts;
  const [clean, sparse, files] = await Promise.all([
    checkClean(git, entry, journal.indexOf(entry)),
    sparseSettings(git, entry, runGit),
    filesInTheWay(git, entry, entry.from, entry.to),
  ]);
  if (!clean.ok) return clean;
  if (!sparse.ok) return sparse;
  if (!files.ok) return files;
  if (files.value.length > 0) return err(dirtyAt(entry, files.value));
  const rehearsed = await git.inside(entry).run({
    args: [...sparse.value, 'read-tree', '-n', '-m', '-u', entry.from, entry.to],
    env: { GIT_INDEX_FILE: journal.indexOf(entry) },
  });
  if (!rehearsed.ok) return rehearsed;
  if (rehearsed.value.code !== 0) return err(complaintOf(entry, rehearsed.value.stderr));
  return ok({ entry, sparse: sparse.value });
}

/** A checkout that may be moved, and the settings under which its files are. */
export type Movable = { readonly entry: JournalEntry; readonly sparse: readonly string[] };

const dirtyAt = (entry: JournalEntry, files: readonly string[]): TargetCheckoutDirty => ({
  kind: 'target_checkout_dirty',
  checkout: entry.path,
  files,
});

async function checkClean(
  git: Git,
  entry: JournalEntry,
  index: string,
): Promise<Result<void, CheckoutRefusal>> {
  const dirty = (files: readonly string[]): Result<void, CheckoutRefusal> =>
    err(dirtyAt(entry, files));
  if ((await unfinishedIn(entry.gitDir)) !== null) return dirty([]);
  try {
    await copyFile(join(entry.gitDir, 'index'), index);
  } catch (cause) {
    const none = cause instanceof Error && 'code' in cause && cause.code === 'ENOENT';
    // No index means that every file counts as deleted.
    return none ? dirty([]) : err(ioFailed('copy the index', cause));
  }
  const inside = git.inside(entry);
  const env = { GIT_INDEX_FILE: index };
  const ofIndex = ['diff-index', '--cached', '--name-only', '-z', '--ignore-submodules=none'];
  const [refreshed, staged] = await Promise.all([
    inside.run({ args: ['update-index', '--refresh'], env }),
    inside.read([...ofIndex, entry.from, '--'], { env }),
  ]);
  if (!refreshed.ok) return refreshed;
  if (!staged.ok) return staged;
  // Exit 1 only says that files differ from the index; another question names them.
  const ofFiles = ['diff-files', '--name-only', '-z', '--ignore-submodules=dirty', '--'];
  const changed = refreshed.value.code === 0 ? ok('') : await inside.read(ofFiles, { env });
  if (!changed.ok) return changed;
  const files = [...new Set([...fields(staged.value), ...fields(changed.value)])];
  return files.length === 0 ? ok(undefined) : dirty(files);
}

/** Moves files and a private index from one commit to another, refusing to overwrite anything. */
export async function moveFiles(
  { git, journal }: MoveParts,
  { entry, sparse }: Movable,
  onStart: () => Promise<void>,
): Promise<Result<void, CheckoutRefusal>> {
  const started = await attempt('record a landing', onStart);
  if (!started.ok) return started;
  const moved = await git
    .inside(entry)
    .read([...sparse, 'read-tree', '-m', '-u', entry.from, entry.to], {
      env: { GIT_INDEX_FILE: journal.indexOf(entry) },
    });
  return moved.ok ? ok(undefined) : moved;
}

/** Git names each file it would have to overwrite in quotes. */
function complaintOf(entry: JournalEntry, complaint: string): CheckoutRefusal {
  const files = [...complaint.matchAll(/'(.+)'/g)].flatMap((found) => found[1] ?? []);
  return files.length === 0
    ? errored('git_failed', 'git read-tree', complaint)
    : dirtyAt(entry, files);
}

/** A sparse checkout is set up in a config of its own, which our view leaves out. */
async function sparseSettings(
  git: Git,
  { gitDir }: JournalEntry,
  runGit: RunGit,
): Promise<Result<string[], NoAnswer>> {
  const own = await readSettings(join(gitDir, 'config.worktree'), git.view.nowhere, runGit);
  if (!own.ok) return own;
  const wanted = ['core.sparsecheckout', 'core.sparsecheckoutcone'];
  return ok(settings(Object.fromEntries(own.value.filter(([key]) => wanted.includes(key)))));
}
