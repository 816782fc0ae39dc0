import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type { CommitId, Healed, NoAnswer } from '../../ports/repository.ts';
import { attempt } from './checkout.ts';
import { headOf, isAncestor } from './facts.ts';
import type { Git } from './git.ts';
import { publishIndex, unlockIndex, type Journal, type JournalEntry } from './journal.ts';
import { isAlive, untilDone } from './process-identity.ts';
import { errored } from './run.ts';
import { undoFiles } from './undo.ts';

/**
 * Brings checkouts in order that a killed `advance` left half moved.
 *
 *   lock taken ─► files moved ─► ref moved ─► index replaced, lock gone
 *   └──────── undone ────────┘  └─ finished ─┘
 *
 * Until then git's own `index.lock`, with our name in it, keeps the user from committing the mixture.
 */
export async function healAll(
  git: Git,
  journal: Journal,
): Promise<Result<readonly Healed[], NoAnswer>> {
  const open = await attempt('read the landing journal', () => journal.open());
  if (!open.ok) return open;
  const healed: Healed[] = [];
  for (const entry of open.value) {
    if (await isAlive(entry.process)) continue;
    if (!(await untilDone(entry.mark))) {
      return err(errored('busy', 'heal a landing', `git still works in ${entry.path}`));
    }
    const done = await healOne(git, journal, entry);
    if (!done.ok) return done;
    healed.push(done.value);
  }
  return ok(healed);
}

export async function healOne(
  git: Git,
  journal: Journal,
  entry: JournalEntry,
): Promise<Result<Healed, NoAnswer>> {
  const landed = entry.phase === 'moving' ? await isLanded(git, entry) : ok(false);
  if (!landed.ok) return landed;
  const repaired = await repair(git, journal, entry, landed.value);
  if (!repaired.ok) return repaired;
  const closed = await attempt('end a landing', async () => {
    await unlockIndex(entry);
    await journal.end(entry);
  });
  if (!closed.ok) return closed;
  const kept = repaired.value;
  return ok({ checkout: entry.path, outcome: landed.value ? 'finished' : 'undone', kept });
}

async function repair(
  git: Git,
  journal: Journal,
  entry: JournalEntry,
  landed: boolean,
): Promise<Result<readonly string[], NoAnswer>> {
  if (entry.phase === 'checking') return ok([]);
  const untouched = await holdsTree(git, entry, entry.from, join(entry.gitDir, 'index'));
  if (!untouched.ok) return untouched;
  // The user removed the lock and went on: the checkout is theirs again.
  if (!untouched.value) return ok([]);
  if (!landed) return undoFiles(git, entry, `${journal.indexOf(entry)}.undo`);
  const published = await finishIndex(git, entry, journal.indexOf(entry));
  return published.ok ? ok([]) : published;
}

/** The prepared index if it survived, else one made from the commit. */
async function finishIndex(
  git: Git,
  entry: JournalEntry,
  index: string,
): Promise<Result<void, NoAnswer>> {
  const usable = await holdsTree(git, entry, entry.to, index);
  if (!usable.ok || !usable.value) {
    await rm(index, { force: true });
    const env = { GIT_INDEX_FILE: index };
    const fresh = await git.inside(entry).read(['read-tree', entry.to], { env });
    if (!fresh.ok) return fresh;
  }
  return attempt('replace the index of a checkout', () => publishIndex(entry, index));
}

/** The ref moves after the files, so a moved ref means that the files are all there. */
async function isLanded(git: Git, entry: JournalEntry): Promise<Result<boolean, NoAnswer>> {
  const head = await headOf(git, entry.branch);
  if (!head.ok) return head;
  if (head.value === null || head.value === entry.from) return ok(false);
  const inside = await isAncestor(git, entry.to, head.value);
  if (inside.ok) return inside;
  return inside.error.kind === 'unknown_revision' ? ok(false) : err(inside.error);
}

async function holdsTree(
  git: Git,
  entry: JournalEntry,
  commit: CommitId,
  index: string,
): Promise<Result<boolean, NoAnswer>> {
  const args = ['diff-index', '--cached', '--name-only', '-z', '--ignore-submodules=none'];
  const env = { GIT_INDEX_FILE: index };
  const staged = await git.inside(entry).read([...args, commit, '--'], { env });
  return staged.ok ? ok(staged.value === '') : staged;
}
