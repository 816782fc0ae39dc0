import { evolveRun } from '../../domain/ship/run/evolve-run.ts';
import type { Run, RunEvent } from '../../domain/ship/run/run.ts';
import { rowAggregate } from './row-store.ts';

/** One apply of one plan. */
export const runAggregate = rowAggregate<Run, RunEvent>({
  table: 'run',
  columns: ['status', 'plan', 'created_at'],
  evolve: evolveRun,
  row: ({ id, status, plan, createdAt }) => ({ id, status, plan, created_at: createdAt }),
});
