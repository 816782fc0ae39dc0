import { createHash } from 'node:crypto';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type { NoAnswer, Setup, SetupRunner, Worktree } from '../../ports/repository.ts';
import { attempt } from './checkout.ts';
import type { Pool } from './pool.ts';
import { errored } from './run.ts';
import type { Slot } from './slots.ts';

export type SetupFailed = { readonly kind: 'setup_failed'; readonly detail: string };

/** Runs the set-up command unless this directory still holds its result for the same lockfiles. */
export async function prepare(
  pool: Pool,
  worktree: Worktree,
  setup: Setup,
  run: SetupRunner,
): Promise<Result<{ cached: boolean }, SetupFailed | NoAnswer>> {
  const slot = (await pool.slots.all()).find((each) => each.owner === worktree.owner);
  if (slot === undefined) return err(errored('io', 'prepare a worktree', 'nobody owns it'));
  const key = await keyOf(worktree.path, setup);
  if (slot.prepared === key) return ok({ cached: true });
  const emptied = await forget(pool, slot, worktree.path);
  if (!emptied.ok) return emptied;
  const done = await run(setup.command, worktree.path);
  if (!done.ok) return err({ kind: 'setup_failed', detail: done.error.detail });
  // Worth remembering only if something of it survives the next user.
  const prepared = slot.keep.length === 0 ? null : key;
  const saved = await attempt('record the set-up', () => pool.slots.save({ ...slot, prepared }));
  return saved.ok ? ok({ cached: false }) : saved;
}

/** An older result must not show through the new one. */
function forget(pool: Pool, slot: Slot, path: string): Promise<Result<void, NoAnswer>> {
  return attempt('forget an earlier set-up', async () => {
    if (slot.prepared === null) return;
    await pool.slots.save({ ...slot, prepared: null });
    for (const name of slot.keep) await rm(join(path, name), { recursive: true, force: true });
  });
}

async function keyOf(path: string, { command, lockfiles }: Setup): Promise<string> {
  const hash = createHash('sha256').update(JSON.stringify([command, lockfiles]));
  for (const file of lockfiles) {
    const content = await readFile(join(path, file)).catch(() => null);
    hash.update(content === null ? 'absent' : `${content.length}:`).update(content ?? '');
  }
  return hash.digest('hex');
}
