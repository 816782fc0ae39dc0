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

/** No room for what was to be written; none of it was. */
export const diskFull = (error: unknown): Problem => ({
  kind: 'unavailable',
  code: 'disk_full',
  message: 'The ledger could not be written: the disk is full or broken. Nothing was half written.',
  cause: error instanceof Error ? error.message : String(error),
  remedy: 'Make room (df shows where it is missing) and do it again.',
});
