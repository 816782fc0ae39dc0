import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { err, ok, type Result } from '../../lib/result.ts';
import { sharing } from '../../lib/sharing.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type {
  BranchName,
  CommitId,
  Landing,
  NoAnswer,
  NotFastForward,
  Proof,
  TargetCheckoutDirty,
  TargetMoved,
  TreeId,
  UnknownRevision,
} from '../../ports/repository.ts';
import { compareAndSwap } from './branches.ts';
import { checkMovable, type Movable, moveFiles } from './checkout-move.ts';
import { checkoutsOf, type BranchCheckout } from './checkouts.ts';
import { attempt } from './checkout.ts';
import { headOf, isAncestor } from './facts.ts';
import { resolveAs, type Git } from './git.ts';
import { healAll, healOne } from './heal.ts';
import { clearAbandonedIndexLock } from './index-lock.ts';
import { lockIndex, publishIndex, type Journal, type JournalEntry } from './journal.ts';
import type { Lock } from './lock.ts';
import { changedInCheckout, writtenSince } from './strays.ts';
import { alreadyContained } from './merge-trees.ts';
import { errored, type RunGit } from './run.ts';

export type LandingParts = {
  readonly git: Git;
  readonly runGit: RunGit;
  readonly journal: Journal;
  /** One landing at a time per repository. */
  readonly lock: Lock;
  /** Called between the steps, so that tests can end the process there. */
  readonly checkpoint: (step: LandingStep) => void;
};

export type LandingStep = 'locked' | 'files' | 'ref' | 'index';

/** Agents that end together are looked after together, when their work is under way. */
const UNHURRIED_MS = 500;

/** Moves targets, together with the files of whoever has them checked out. */
export function landingOf(parts: LandingParts): Landing {
  const changed = sharing(
    () => parts.lock(() => changedInCheckout(parts.git)),
    () => pause(UNHURRIED_MS),
  );
  return {
    advance: (target, to, from) => parts.lock(() => advance(parts, target, to, from)),
    heal: () => parts.lock(() => healAll(parts.git, parts.journal)),
    strays: async (since) => writtenSince(parts.git, await changed(), since),
    prove: (landed, target, source, verified) => prove(parts.git, landed, target, source, verified),
  };
}

type AdvanceFailure =
  | TargetMoved
  | NotFastForward
  | TargetCheckoutDirty
  | UnknownRevision
  | NoAnswer;

async function advance(
  parts: LandingParts,
  target: BranchName,
  to: CommitId,
  from: CommitId,
): Promise<Result<{ checkouts: readonly string[] }, AdvanceFailure>> {
  const forward = await isAncestor(parts.git, from, to);
  if (!forward.ok) return forward;
  if (!forward.value) return err({ kind: 'not_fast_forward' });
  const healed = await healAll(parts.git, parts.journal);
  if (!healed.ok) return healed;
  const now = await headOf(parts.git, target);
  if (!now.ok) return now;
  if (now.value !== from) return err({ kind: 'target_moved', now: now.value });
  const checkouts = checkoutsOf(parts.git, target);
  const stuck = checkouts.find(({ obstacle }) => obstacle !== null);
  if (stuck !== undefined) {
    return err({ kind: 'target_checkout_dirty', checkout: stuck.path, files: [] });
  }
  const mark = randomBytes(8).toString('hex');
  const marked = { ...parts, git: parts.git.marked(mark) };
  return moveAll(marked, checkouts, { branch: target, from, to, mark });
}

type Step = {
  readonly branch: BranchName;
  readonly from: CommitId;
  readonly to: CommitId;
  readonly mark: string;
};

/** Files first, the ref second, the index last; the index stays locked in between. */
async function moveAll(
  parts: LandingParts,
  checkouts: readonly BranchCheckout[],
  step: Step,
): Promise<Result<{ checkouts: readonly string[] }, AdvanceFailure>> {
  const begun: JournalEntry[] = [];
  const moved = await moveEach(parts, checkouts, step, begun);
  if (!moved.ok) {
    for (const entry of begun) {
      const undone = await healOne(parts.git, parts.journal, entry);
      if (!undone.ok) return undone;
    }
    return moved;
  }
  const published = await attempt('replace the index of a checkout', async () => {
    for (const entry of begun) {
      await publishIndex(entry, parts.journal.indexOf(entry));
      parts.checkpoint('index');
      await parts.journal.end(entry);
    }
  });
  return published.ok ? ok({ checkouts: begun.map(({ path }) => path) }) : published;
}

async function moveEach(
  parts: LandingParts,
  checkouts: readonly BranchCheckout[],
  step: Step,
  begun: JournalEntry[],
): Promise<Result<void, AdvanceFailure>> {
  const movable: Movable[] = [];
  for (const { path, gitDir } of checkouts) {
    const entry = await begin(parts, { path, gitDir, ...step });
    if (!entry.ok) return entry;
    begun.push(entry.value);
    parts.checkpoint('locked');
    const checked = await checkMovable(parts, entry.value);
    if (!checked.ok) return checked;
    movable.push(checked.value);
  }
  for (const [at, one] of movable.entries()) {
    const files = await moveFiles(parts, one, async () => {
      begun[at] = await parts.journal.moving(one.entry);
    });
    if (!files.ok) return files;
    parts.checkpoint('files');
  }
  return moveRef(parts, step);
}

async function begin(
  { journal }: LandingParts,
  move: Step & { path: string; gitDir: string },
): Promise<Result<JournalEntry, NoAnswer>> {
  const entry = await attempt('begin a landing', () => journal.begin(move));
  if (!entry.ok) return entry;
  const locked = await attempt('lock the index of a checkout', async () => {
    if (await lockIndex(entry.value)) return true;
    if ((await clearAbandonedIndexLock(move)) === 'held') return false;
    return lockIndex(entry.value);
  });
  if (locked.ok && locked.value) return entry;
  await journal.end(entry.value);
  return locked.ok
    ? err(errored('busy', 'lock the index of a checkout', `${move.path} is in use by git`))
    : locked;
}

async function moveRef(parts: LandingParts, step: Step): Promise<Result<void, AdvanceFailure>> {
  const { branch, from, to } = step;
  const swapped = await compareAndSwap(parts.git, branch, to, from, 'convoy: land');
  if (swapped.ok) {
    parts.checkpoint('ref');
    return swapped;
  }
  switch (swapped.error.kind) {
    case 'ref_moved':
      return err({ kind: 'target_moved', now: swapped.error.now });
    case 'invalid_name':
      return err({ kind: 'target_moved', now: null });
    case 'unknown_revision':
    case 'errored':
    case 'stopped':
      return err(swapped.error);
    default:
      return unreachable(swapped.error);
  }
}

/** Shows from git alone that a landing is what was verified and that nothing of the source is missing. */
async function prove(
  git: Git,
  landed: CommitId,
  target: BranchName,
  source: CommitId,
  verified: TreeId,
): Promise<Result<Proof, UnknownRevision | NoAnswer>> {
  const head = await headOf(git, target);
  if (!head.ok) return head;
  if (head.value === null) return err({ kind: 'unknown_revision', revision: target });
  const ancestor = await isAncestor(git, landed, head.value);
  if (!ancestor.ok) return ancestor;
  const tree = await resolveAs(git, landed, 'tree');
  if (!tree.ok) return tree;
  // Against the landing itself: what others landed later may well change the same lines.
  const contained = await alreadyContained(git, source, landed);
  if (!contained.ok) return contained;
  const treeMatches = tree.value === verified;
  return ok({
    landed,
    target,
    targetHead: head.value,
    ancestor: ancestor.value,
    treeMatches,
    contained: contained.value,
    holds: ancestor.value && treeMatches && contained.value,
  });
}
