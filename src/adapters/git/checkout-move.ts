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

/** Says no unless the checkout is exactly its branch's commit; only a copy of its index is written. */
export async function checkClean(
  git: Git,
  entry: JournalEntry,
  index: string,
): Promise<Result<void, CheckoutRefusal>> {
  const dirty = (files: readonly string[]): Result<void, CheckoutRefusal> =>
    err({ kind: 'target_checkout_dirty', checkout: entry.path, files });
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
  // Exit 1 only says that something differs, which the next two questions name.
  const refreshed = await inside.run({ args: ['update-index', '-q', '--refresh'], env });
  if (!refreshed.ok) return refreshed;
  const ofIndex = ['diff-index', '--cached', '--name-only', '-z', '--ignore-submodules=none'];
  const ofFiles = ['diff-files', '--name-only', '-z', '--ignore-submodules=dirty', '--'];
  const [staged, changed] = await Promise.all([
    inside.read([...ofIndex, entry.from, '--'], { env }),
    inside.read(ofFiles, { env }),
  ]);
  if (!staged.ok) return staged;
  if (!changed.ok) return changed;
  const files = [...new Set([...fields(staged.value), ...fields(changed.value)])];
  return files.length === 0 ? ok(undefined) : dirty(files);
}

/** Moves files and a private index from one commit to another, refusing to overwrite anything. */
export async function moveFiles(
  { git, journal, runGit }: { git: Git; journal: Journal; runGit: RunGit },
  entry: JournalEntry,
  onStart: () => Promise<void>,
): Promise<Result<void, CheckoutRefusal>> {
  const sparse = await sparseSettings(git, entry, runGit);
  if (!sparse.ok) return sparse;
  const inside = git.inside(entry);
  const env = { GIT_INDEX_FILE: journal.indexOf(entry) };
  const steps = ['-m', '-u', entry.from, entry.to];
  const [rehearsed, files] = await Promise.all([
    inside.run({ args: [...sparse.value, 'read-tree', '-n', ...steps], env }),
    filesInTheWay(git, entry, entry.from, entry.to),
  ]);
  if (!rehearsed.ok) return rehearsed;
  if (rehearsed.value.code !== 0) return err(complaintOf(entry, rehearsed.value.stderr));
  if (!files.ok) return files;
  if (files.value.length > 0) {
    return err({ kind: 'target_checkout_dirty', checkout: entry.path, files: files.value });
  }
  const started = await attempt('record a landing', onStart);
  if (!started.ok) return started;
  const moved = await inside.read([...sparse.value, 'read-tree', ...steps], { env });
  return moved.ok ? ok(undefined) : moved;
}

/** Git names each file it would have to overwrite in quotes. */
function complaintOf(entry: JournalEntry, complaint: string): CheckoutRefusal {
  const files = [...complaint.matchAll(/'(.+)'/g)].flatMap((found) => found[1] ?? []);
  return files.length === 0
    ? errored('git_failed', 'git read-tree', complaint)
    : { kind: 'target_checkout_dirty', checkout: entry.path, files };
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
