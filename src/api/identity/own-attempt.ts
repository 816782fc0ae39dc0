import type { Problem } from '../../contract/problem.ts';
import type { Approval } from '../../domain/approval/approval.ts';
import type { Identity } from '../../domain/identity/identity.ts';
import { type Attempt, isLive } from '../../domain/work/attempt.ts';
import { approvalAggregate } from '../../ledger/aggregates/approval.ts';
import { attemptAggregate } from '../../ledger/aggregates/attempt.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Services } from '../context.ts';
import { conflict, invalid } from '../problems.ts';

type Db = Services['ledger']['db'];

const SUBJECT = 'attempt:';

/** The attempt a token is good for. Only an agent has one: not even the operator can speak for it. */
export async function ownAttempt(db: Db, { subject }: Identity): Promise<Result<Attempt, Problem>> {
  if (subject === null || !subject.startsWith(SUBJECT))
    return invalid(
      'no_attempt',
      'Only an agent inside an attempt can say this.',
      'CONVOY_TOKEN of the attempt says who speaks.',
    );
  const stored = await attemptAggregate.load(db, subject.slice(SUBJECT.length));
  if (stored === null) return invalid('no_attempt', 'The attempt is gone.', 'Stop working.');
  if (!isLive(stored.state.status))
    return conflict(
      'attempt_over',
      `This attempt is ${stored.state.status}; what it says now does not count.`,
      'Stop working: another attempt may have taken over.',
    );
  return ok(stored.state);
}

/** What this very attempt has asked a person under that id. */
export async function ownApproval(
  db: Db,
  identity: Identity,
  { id, kind }: Pick<Approval, 'id' | 'kind'>,
): Promise<Result<Approval, Problem>> {
  const attempt = await ownAttempt(db, identity);
  if (!attempt.ok) return attempt;
  const asked = await approvalAggregate.load(db, id);
  if (asked?.state.subject === attempt.value.id && asked.state.kind === kind)
    return ok(asked.state);
  return err({
    kind: 'not_found',
    code: 'approval_not_found',
    message: `This attempt has not asked ${id}.`,
    remedy: 'Ask first.',
    ids: [id],
  });
}
