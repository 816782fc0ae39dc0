import type { Kysely } from 'kysely';
import type { GateRetries, VerificationOutcome } from '../../domain/merge/change.ts';
import type { Tables } from '../tables.ts';
import { eventsAfter } from './events-after.ts';

/** One gate run that a change was part of. */
export type VerificationRow = {
  readonly id: string;
  readonly startedAt: number;
  readonly endedAt: number | null;
  readonly outcome: VerificationOutcome | null;
  readonly retried: readonly GateRetries[];
};

const MOST = 10_000;

/** Every gate run a change was part of, the first one first. */
export async function verificationsOf(
  db: Kysely<Tables>,
  change: string,
): Promise<VerificationRow[]> {
  const events = await eventsAfter(db, 0, {
    subject: `change/${change}`,
    kinds: ['change-verification-started', 'change-verification-ended'],
    limit: MOST,
  });
  const rows = new Map<string, VerificationRow>();
  for (const { at, kind, data } of events) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the change aggregate writes these events
    const { verification: id, outcome, retried } = data as unknown as Told;
    const before = rows.get(id);
    if (kind === 'change-verification-started' || before === undefined)
      rows.set(id, { id, startedAt: at, endedAt: null, outcome: null, retried: [] });
    else rows.set(id, { ...before, endedAt: at, outcome, retried: retried ?? [] });
  }
  return [...rows.values()];
}

type Told = {
  readonly verification: string;
  readonly outcome: VerificationOutcome;
  readonly retried?: readonly GateRetries[];
};
