import type { KeptLog } from '../domain/retention/expired-logs.ts';

/** The folders in which executions leave their output and papers. */
export interface LogStore {
  /** One entry for each execution; the engine's own files are not among them. */
  list(): Promise<readonly KeptLog[]>;
  /** Removes what one execution left. Safe to repeat. */
  remove(name: string): Promise<void>;
}
