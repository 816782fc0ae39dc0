import { ok, type Result } from '../../lib/result.ts';
import type { CommitId, NoAnswer, UnknownRevision } from '../../ports/repository.ts';
import { attempt } from './checkout.ts';
import { resolveAs } from './git.ts';
import { fill, type Pool, slotFor, WARMING } from './pool.ts';
import { isAlive, thisProcess, untilDone } from './process-identity.ts';
import type { Slot } from './slots.ts';

/**
 * Makes free worktrees ready for attempts that will begin at a commit, so that theirs need no checkout.
 * They stay free: whoever comes first takes one, and one that nobody wants is made over for the next.
 */
export async function warm(
  pool: Pool,
  commit: CommitId,
  count: number,
): Promise<Result<void, UnknownRevision | NoAnswer>> {
  const known = await resolveAs(pool.git, commit, 'commit');
  if (!known.ok) return known;
  const owner = await ourName();
  await takeBackAbandoned(pool);
  for (let n = 0; n < count; n += 1) {
    const claimed = await pool.lock(() => claimNext(pool, owner, commit, count));
    if (!claimed.ok) return claimed;
    const slot = claimed.value;
    if (slot === null) return ok(undefined);
    const free = { state: 'free', owner: null, branch: null, at: commit } as const;
    const filled = await fill(pool, slot, commit, !slot.reused, free);
    if (!filled.ok) {
      await pool.lock(() => putBack(pool, slot));
      return filled;
    }
  }
  return ok(undefined);
}

/** Whose claim it is while files are written: should we die, others see that nobody will finish it. */
async function ourName(): Promise<string> {
  const { pid, startTime } = await thisProcess();
  return `${WARMING}${pid}-${startTime ?? ''}`;
}

/** Null when as many as were asked for are ready. */
async function claimNext(
  pool: Pool,
  owner: string,
  commit: CommitId,
  count: number,
): Promise<Result<Slot | null, NoAnswer>> {
  const slots = await pool.slots.all();
  const isReady = ({ state, at }: Slot): boolean => state === 'free' && at === commit;
  if (slots.filter(isReady).length >= count) return ok(null);
  const request = { owner, purpose: 'attempt', branch: null, startPoint: commit } as const;
  const { slot: claimed } = slotFor(request, slots, isReady);
  return attempt('claim a worktree', async () => {
    await pool.slots.save(claimed);
    return claimed;
  });
}

function putBack(pool: Pool, slot: Slot): Promise<Result<void, NoAnswer>> {
  return attempt('free a worktree', () =>
    slot.gitDir === null
      ? pool.slots.forget(slot)
      : pool.slots.save({ ...slot, state: 'free', owner: null, branch: null, at: null }),
  );
}

/** What a process that died was making ready goes back to the others. */
async function takeBackAbandoned(pool: Pool): Promise<void> {
  for (const slot of await pool.slots.all()) {
    if (slot.state !== 'claimed' || (await isAtWork(slot.owner))) continue;
    if (!(await untilDone(pool.slots.pathOf(slot)))) continue;
    await pool.lock(async () => {
      const now = (await pool.slots.all()).find(({ name }) => name === slot.name);
      return now?.owner === slot.owner && now.state === 'claimed'
        ? putBack(pool, now)
        : ok(undefined);
    });
  }
}

/** True also for claims that are no business of ours. */
async function isAtWork(owner: string | null): Promise<boolean> {
  const found = /^warm-(\d+)-(\d*)$/.exec(owner ?? '');
  if (found === null) return true;
  const [, pid = '', startTime = ''] = found;
  return isAlive({ pid: Number(pid), startTime: startTime === '' ? null : startTime });
}
