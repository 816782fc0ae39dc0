import type { Problem } from '../contract/problem.ts';
import type { LedgerUnreachable } from '../ledger/ledger-unreachable.ts';

/** A database that does not answer is nobody's bug: it is named, without its password. */
export const unreachable = ({ place, why }: LedgerUnreachable): Problem => ({
  kind: 'unavailable',
  code: 'ledger_unavailable',
  message: `The ledger at ${place} does not answer.`,
  cause: why,
  remedy: `CONVOY_LEDGER is ${place} (user and password are not shown): start that server or correct the address, then run it again.`,
});
