import { err, ok, type Result } from '../../lib/result.ts';
import { unreachable } from '../../lib/unreachable.ts';
import {
  CHANGE_STATUSES,
  type Change,
  type ChangeCommand,
  type ChangeEvent,
  type ChangeRefusal,
  type ChangeStatus,
  type LandingProof,
  type MissingProof,
} from './change.ts';
import { decidePull } from './pull.ts';

type Decision = Result<ChangeEvent[], ChangeRefusal>;

/** What a command would change about a change, or why it may not. */
export function decideChange(change: Change | null, command: ChangeCommand): Decision {
  if (command.type === 'enqueue') {
    if (change !== null) return err({ kind: 'already-enqueued', id: change.id });
    return ok([{ type: 'change-enqueued', change: command.change, at: command.at }]);
  }
  if (change === null) return err({ kind: 'unknown-change' });
  const allowed = ALLOWED[command.type];
  if (!allowed.includes(change.status))
    return err({ kind: 'wrong-state', status: change.status, allowed });
  return decideAllowed(change, command);
}

type Later = Exclude<ChangeCommand, { type: 'enqueue' }>;

const OPEN: readonly ChangeStatus[] = ['queued', 'verifying', 'waiting_push'];

const ALLOWED: Record<Later['type'], readonly ChangeStatus[]> = {
  'start-verifying': ['queued', 'verifying'],
  'end-verifying': ['verifying'],
  'wait-for-push': OPEN,
  // Whatever we believed: a landing that git shows is a landing (a crash may have come in between).
  'record-merge': [...OPEN, 'red', 'conflicted', 'withdrawn'],
  'reject-red': ['queued', 'verifying'],
  // A waiting commit may stop merging when the target moves under it.
  'reject-conflict': OPEN,
  'escalate-conflict': ['conflicted'],
  withdraw: [...OPEN, 'red', 'conflicted'],
  retry: ['waiting_push', 'red', 'conflicted', 'withdrawn'],
  move: ['queued', 'verifying'],
  propose: OPEN,
  'record-proposal': CHANGE_STATUSES,
  'see-pull': CHANGE_STATUSES,
  'intend-merge': OPEN,
  'close-pull': CHANGE_STATUSES,
};

function decideAllowed(change: Change, command: Later): Decision {
  switch (command.type) {
    case 'start-verifying': {
      const { verification, at } = command;
      if (verificationsOf(change).includes(verification)) return ok([]);
      return ok([{ type: 'change-verification-started', verification, at }]);
    }
    case 'end-verifying': {
      const { verification, outcome, retried = [], at } = command;
      // A late report from a run that was cancelled or lost must not count.
      const current = verificationsOf(change);
      if (!current.includes(verification)) return err({ kind: 'stale-verification', current });
      const told = retried.length === 0 ? {} : { retried };
      return ok([{ type: 'change-verification-ended', verification, outcome, ...told, at }]);
    }
    case 'wait-for-push': {
      const { commit, tree, because, at } = command;
      return ok([
        ...unfinished(change, at),
        { type: 'change-push-awaited', commit, tree, because, at },
      ]);
    }
    case 'record-merge':
      return recordMerge(change, command.proof, command.unverified === true, command.at);
    case 'reject-red':
      return ok([
        ...unfinished(change, command.at),
        { type: 'change-turned-red', failure: command.failure, at: command.at },
      ]);
    case 'reject-conflict':
      return ok([
        ...unfinished(change, command.at),
        { type: 'change-conflicted', conflict: command.conflict, at: command.at },
      ]);
    case 'escalate-conflict':
      return change.status === 'conflicted' && change.escalatedAt === undefined
        ? ok([{ type: 'change-conflict-escalated', since: command.since, at: command.at }])
        : ok([]);
    case 'withdraw':
      return ok([
        ...unfinished(change, command.at),
        { type: 'change-withdrawn', reason: command.reason, at: command.at },
      ]);
    case 'retry':
      return ok([{ type: 'change-requeued', at: command.at }]);
    case 'move':
      return ok([{ type: 'change-moved', turn: command.turn }]);
    case 'propose':
    case 'record-proposal':
    case 'see-pull':
    case 'intend-merge':
    case 'close-pull':
      return ok(decidePull(change.pull, command));
    default:
      return unreachable(command);
  }
}

function recordMerge(
  change: Change,
  proof: LandingProof,
  unverified: boolean,
  at: number,
): Decision {
  const missing: MissingProof[] = [];
  if (!proof.contained) missing.push('contained');
  if (proof.tree !== proof.verifiedTree) missing.push('verified-tree');
  if (!proof.addsNothing) missing.push('adds-nothing');
  if (missing.length > 0) return err({ kind: 'unproven', missing });
  const merged = {
    target: change.target,
    commit: proof.commit,
    tree: proof.tree,
    proof: proofWords(unverified),
    unverified,
  };
  return ok([...unfinished(change, at), { type: 'change-merged', merged, at }]);
}

/** Runs that are still under way when the change leaves: nobody waits for their answer any more. */
const unfinished = (change: Change, at: number): ChangeEvent[] =>
  verificationsOf(change).map((verification) => ({
    type: 'change-verification-ended',
    verification,
    outcome: 'cancelled',
    at,
  }));

/** What git showed; the tree proves something only where gates have seen it. */
export const proofWords = (unverified: boolean): string =>
  unverified ? 'contained, adds-nothing' : 'contained, verified-tree, adds-nothing';

const verificationsOf = (change: Change): readonly string[] =>
  change.status === 'verifying' ? change.verifications : [];
