import { randomBytes } from 'node:crypto';
import { readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type {
  AcquireRequest,
  BranchDiverged,
  CommitId,
  InvalidName,
  NameTaken,
  NoAnswer,
  UnknownRevision,
  Worktree,
} from '../../ports/repository.ts';
import { branchesOf } from './branches.ts';
import {
  addWorktree,
  attempt,
  detach,
  forgetWorktree,
  pointHead,
  restoreCheckout,
} from './checkout.ts';
import { checkoutsOf } from './checkouts.ts';
import { headOf, isAncestor } from './facts.ts';
import { headOfCheckout, resolveAs, type Git } from './git.ts';
import type { Lock } from './lock.ts';
import { untilDone } from './process-identity.ts';
import { errored } from './run.ts';
import { freshName, type Slot, type SlotStore } from './slots.ts';

export type Pool = {
  readonly git: Git;
  readonly slots: SlotStore;
  readonly lock: Lock;
  /** Free directories that survive a prune. */
  readonly spare: number;
};

/** Owners of worktrees that are being made ready for others. */
export const WARMING = 'warm-';
const isWarming = (owner: string): boolean => owner.startsWith(WARMING);

export type AcquireFailure = UnknownRevision | InvalidName | NameTaken | BranchDiverged | NoAnswer;

/** Lends a checkout; asking again with the same owner gives the same one. */
export async function acquire(
  pool: Pool,
  request: AcquireRequest,
): Promise<Result<Worktree, AcquireFailure>> {
  // The branch and the place for it have nothing to do with each other until the files are there.
  const [commit, claimed] = await Promise.all([
    startOf(pool.git, request),
    pool.lock(() => claim(pool, request)),
  ]);
  if (!commit.ok) {
    if (claimed.ok && !claimed.value.resumed) await release(pool, request.owner);
    return commit;
  }
  if (!claimed.ok) return claimed;
  const { slot, resumed, warm } = claimed.value;
  if (slot.state === 'ready') return describe(pool, slot);
  if (warm === commit.value) {
    const taken = await takeWarm(pool, slot, commit.value);
    if (taken.ok) return ok(worktreeOf(pool, taken.value, commit.value));
  }
  // A process that died while filling it may have left its git at work there.
  if (resumed && !(await untilDone(pool.slots.pathOf(slot)))) {
    return err(errored('busy', 'check out a worktree', `git still works in ${slot.name}`));
  }
  const isEmpty = !resumed && !slot.reused;
  const filled = await fill(pool, slot, commit.value, isEmpty);
  return filled.ok ? ok(worktreeOf(pool, filled.value, commit.value)) : filled;
}

export async function find(pool: Pool, owner: string): Promise<Result<Worktree | null, NoAnswer>> {
  const slot = (await pool.slots.all()).find((each) => each.owner === owner);
  return slot?.state === 'ready' ? describe(pool, slot) : ok(null);
}

export async function list(pool: Pool): Promise<Result<readonly Worktree[], NoAnswer>> {
  const worktrees: Worktree[] = [];
  for (const slot of await pool.slots.all()) {
    if (slot.state !== 'ready') continue;
    const worktree = await describe(pool, slot);
    if (!worktree.ok) return worktree;
    worktrees.push(worktree.value);
  }
  return ok(worktrees);
}

export function release(pool: Pool, owner: string): Promise<Result<void, NoAnswer>> {
  return pool.lock(async () => {
    const slot = (await pool.slots.all()).find((each) => each.owner === owner);
    if (slot === undefined) return ok(undefined);
    if (slot.gitDir === null) return attempt('free a worktree', () => pool.slots.forget(slot));
    const checkout = { path: pool.slots.pathOf(slot), gitDir: slot.gitDir };
    const left = await detach(pool.git, checkout);
    if (!left.ok) return left;
    const free: Slot = { ...slot, state: 'free', owner: null, branch: null, at: null };
    return attempt('free a worktree', () => pool.slots.save(free));
  });
}

export async function prune(
  pool: Pool,
  owners: readonly string[],
): Promise<Result<readonly string[], NoAnswer>> {
  const removed = await pool.lock(() =>
    attempt('remove worktrees nobody owns', async () => {
      const slots = await pool.slots.all();
      const free = slots.filter((slot) => slot.owner === null).slice(pool.spare);
      const orphans = slots.filter(
        ({ owner, state }) =>
          owner !== null && !owners.includes(owner) && !(state === 'claimed' && isWarming(owner)),
      );
      for (const slot of [...orphans, ...free]) await discard(pool, slot);
      return [...orphans, ...free].map((slot) => pool.slots.pathOf(slot));
    }),
  );
  await emptyTrash(pool);
  return removed;
}

/** The branch's own head when it has moved on from the start point, so that no commit is lost. */
async function startOf(
  git: Git,
  { branch, startPoint }: AcquireRequest,
): Promise<Result<CommitId, AcquireFailure>> {
  const start = await resolveAs(git, startPoint, 'commit');
  if (!start.ok || branch === null) return start;
  const created = await branchesOf(git).create(branch, start.value);
  if (created.ok) return start;
  const exists =
    created.error.kind === 'ref_moved' ||
    (created.error.kind === 'name_taken' && created.error.by === branch);
  if (!exists) return err(created.error);
  const head = await headOf(git, branch);
  if (!head.ok) return head;
  if (head.value === null) return err({ kind: 'name_taken', name: branch, by: branch });
  const ahead = await isAncestor(git, start.value, head.value);
  if (!ahead.ok) return ahead;
  return ahead.value ? ok(head.value) : err({ kind: 'branch_diverged', branch, head: head.value });
}

type Claim = {
  readonly slot: Slot;
  /** Its owner had it before, perhaps half made. */
  readonly resumed: boolean;
  /** The commit whose files are there already. */
  readonly warm: CommitId | null;
};

async function claim(
  pool: Pool,
  request: AcquireRequest,
): Promise<Result<Claim, NameTaken | NoAnswer>> {
  const { owner, branch } = request;
  const slots = await pool.slots.all();
  const mine = slots.find((slot) => slot.owner === owner);
  if (mine !== undefined) return ok({ slot: mine, resumed: true, warm: null });
  // Two checkouts of one branch would move it under each other's feet, the user's included.
  if (branch !== null && isUsed(pool, slots, branch)) {
    return err({ kind: 'name_taken', name: branch, by: branch });
  }
  const { slot, warm } = slotFor(request, slots);
  // Recorded before it exists, so that a crash leaves nothing without an owner.
  const recorded = await attempt('claim a worktree', () => pool.slots.save(slot));
  return recorded.ok ? ok({ slot, resumed: false, warm }) : recorded;
}

function isUsed(pool: Pool, slots: readonly Slot[], branch: string): boolean {
  if (slots.some((slot) => slot.branch === branch)) return true;
  return checkoutsOf(pool.git, branch).length > 0;
}

/** A free directory of the same purpose, or a new one: agents never leave things for the gates. */
export function slotFor(
  request: AcquireRequest,
  slots: readonly Slot[],
  unless: (slot: Slot) => boolean = () => false,
): { slot: Slot; warm: CommitId | null } {
  const { owner, purpose, branch, startPoint, keep = [] } = request;
  const free = bestOf(
    slots.filter((slot) => slot.state === 'free' && slot.purpose === purpose && !unless(slot)),
    startPoint,
  );
  const slot: Slot = {
    name: free?.name ?? freshName(slots),
    state: 'claimed',
    owner,
    purpose,
    branch,
    keep: keep.filter((name) => /^[^/\0]+$/.test(name) && !/^\.+(git)?$/.test(name)),
    gitDir: free?.gitDir ?? null,
    reused: free !== undefined,
    prepared: free?.prepared ?? null,
    at: null,
  };
  return { slot, warm: slot.keep.length === 0 ? (free?.at ?? null) : null };
}

/** One that is ready for another commit is somebody else's hope: it is taken last. */
const bestOf = (free: readonly Slot[], commit: CommitId): Slot | undefined =>
  free.find(({ at }) => at === commit) ?? free.find(({ at }) => at === null) ?? free[0];

/** The files are there: only HEAD and the record say whose they are now. */
async function takeWarm(pool: Pool, slot: Slot, commit: CommitId): Promise<Result<Slot, NoAnswer>> {
  const checkout = { path: pool.slots.pathOf(slot), gitDir: slot.gitDir ?? '' };
  const ready: Slot = { ...slot, state: 'ready', prepared: null };
  return attempt('take a worktree that is ready', async () => {
    await pointHead(checkout, slot.branch, commit);
    await pool.slots.save(ready);
    return ready;
  });
}

async function build(pool: Pool, slot: Slot, commit: CommitId): Promise<Result<Slot, NoAnswer>> {
  const path = pool.slots.pathOf(slot);
  const added = await addWorktree(pool.git, path, commit);
  if (!added.ok) return added;
  const built: Slot = { ...slot, gitDir: added.value.gitDir, reused: false, prepared: null };
  return attempt('record a worktree', async () => {
    await rm(pool.slots.indexOf(slot), { force: true });
    await pool.slots.save(built);
    return built;
  });
}

/** Checks the files out, beside others doing the same; a damaged directory is made anew once. */
export async function fill(
  pool: Pool,
  slot: Slot,
  commit: CommitId,
  isEmpty: boolean,
  as: Partial<Slot> = { state: 'ready' },
): Promise<Result<Slot, NoAnswer>> {
  const first = await fillOnce(pool, slot, commit, isEmpty, as);
  if (first.ok || first.error.kind === 'stopped') return first;
  const rebuilt = await pool.lock(async () => {
    const trash = await attempt('discard a damaged worktree', () => discard(pool, slot));
    return trash.ok ? build(pool, slot, commit) : trash;
  });
  await emptyTrash(pool);
  return rebuilt.ok ? fillOnce(pool, rebuilt.value, commit, true, as) : rebuilt;
}

async function fillOnce(
  pool: Pool,
  slot: Slot,
  commit: CommitId,
  isEmpty: boolean,
  as: Partial<Slot>,
): Promise<Result<Slot, NoAnswer>> {
  const made = slot.gitDir === null ? await pool.lock(() => build(pool, slot, commit)) : ok(slot);
  if (!made.ok) return made;
  const { gitDir, branch, prepared, keep } = made.value;
  const path = pool.slots.pathOf(slot);
  const checkout = { path, gitDir: gitDir ?? '' };
  const restored = await restoreCheckout(
    pool.git.marked(path),
    checkout,
    { branch, commit, keep: prepared === null ? [] : keep, empty: isEmpty },
    pool.slots.indexOf(slot),
  );
  if (!restored.ok) return restored;
  const ready: Slot = {
    ...made.value,
    prepared: keep.length === 0 ? null : prepared,
    ...as,
  };
  return attempt('record a worktree', async () => {
    await pool.slots.save(ready);
    return ready;
  });
}

/** Takes the directory out of the pool; its files are deleted later, outside the lock. */
async function discard(pool: Pool, slot: Slot): Promise<void> {
  const path = pool.slots.pathOf(slot);
  const trash = join(pool.slots.home, `trash-${randomBytes(6).toString('hex')}`);
  await rename(path, trash).catch(() => undefined);
  await forgetWorktree(pool.git, path);
  await pool.slots.forget(slot);
}

async function emptyTrash({ slots }: Pool): Promise<void> {
  for (const name of await readdir(slots.home).catch(() => [])) {
    if (!name.startsWith('trash-')) continue;
    // What cannot be deleted now is tried again at the next prune.
    await rm(join(slots.home, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

async function describe(pool: Pool, slot: Slot): Promise<Result<Worktree, NoAnswer>> {
  const checkout = { path: pool.slots.pathOf(slot), gitDir: slot.gitDir ?? '' };
  const head = await headOfCheckout(pool.git, checkout);
  if (head.ok) return ok(worktreeOf(pool, slot, head.value));
  return err(
    head.error.kind === 'unknown_revision'
      ? errored('git_failed', 'find a worktree', `${slot.name} has no HEAD commit`)
      : head.error,
  );
}

function worktreeOf(pool: Pool, slot: Slot, head: CommitId): Worktree {
  const { owner, branch, reused, gitDir } = slot;
  const path = pool.slots.pathOf(slot);
  return { owner: owner ?? '', path, gitDir: gitDir ?? '', branch, reused, head };
}
