import type { GateRetries, VerificationOutcome } from '../../domain/merge/change.ts';
import { decideChange } from '../../domain/merge/decide-change.ts';
import type { ChangeId } from '../../domain/work/ids.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import type { Tx } from '../../ledger/transaction.ts';

/** What happens to a gate run over a stack. */
export type Mark =
  | { readonly kind: 'start' }
  | {
      readonly kind: 'end';
      readonly outcome: VerificationOutcome;
      readonly retried: readonly GateRetries[];
    };

/** Every change of the stack remembers that it is, or was, in this run. */
export async function markVerifying(
  tx: Tx,
  members: readonly ChangeId[],
  verification: string,
  mark: Mark,
): Promise<void> {
  for (const id of members) {
    const stored = await tx.load(changeAggregate, id);
    const decision = decideChange(
      stored?.state ?? null,
      mark.kind === 'start'
        ? { type: 'start-verifying', verification, at: tx.at }
        : {
            type: 'end-verifying',
            verification,
            outcome: mark.outcome,
            retried: mark.retried,
            at: tx.at,
          },
    );
    if (decision.ok && decision.value.length > 0)
      await tx.record(changeAggregate, id, decision.value);
  }
}
