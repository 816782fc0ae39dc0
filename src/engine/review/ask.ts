import type { Approval, ApprovalWish } from '../../domain/approval/approval.ts';
import type { Review, ReviewEvent } from '../../domain/review/review.ts';
import type { Finding } from '../../domain/review/verdict.ts';
import { reviewAggregate } from '../../ledger/aggregates/review.ts';
import { requestApproval } from '../../ledger/approvals.ts';
import { ok } from '../../lib/result.ts';
import { ENGINE, type World } from '../world.ts';

type Subject = Extract<ReviewEvent, { type: 'review-opened' }>['review'];

/** One review for each tree: asking twice gives the same. */
export async function openReview(world: World, review: Subject): Promise<Review> {
  const known = await reviewAggregate.load(world.ledger.db, review.id);
  if (known !== null) return known.state;
  const opened = await world.ledger.write(ENGINE, async (tx) => {
    const again = await tx.load(reviewAggregate, review.id);
    if (again !== null) return ok(again.state);
    return ok(await tx.record(reviewAggregate, review.id, [{ type: 'review-opened', review }]));
  });
  if (!opened.ok) throw new Error(`The review ${review.id} could not be opened`);
  return opened.value;
}

/** The approval of a person about exactly this, asked for when it was not yet. */
export async function askPerson(world: World, wish: ApprovalWish): Promise<Approval> {
  const asked = await world.ledger.write(ENGINE, async (tx) =>
    ok(await requestApproval(tx, world.ids, wish)),
  );
  if (!asked.ok) throw new Error(`The approval of ${wish.subject} could not be asked for`);
  return asked.value;
}

export const findingsInWords = (findings: readonly Finding[]): string =>
  findings
    .map(({ file, line, severity, text }) => {
      const where = file === null ? '' : ` in ${file}${line === null ? '' : `:${line}`}`;
      return `- ${severity}${where}: ${text}`;
    })
    .join('\n');
