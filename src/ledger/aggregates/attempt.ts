import { type Attempt, type AttemptEvent, evolveAttempt } from '../../domain/work/attempt.ts';
import { rowAggregate } from './row-store.ts';

/** One agent's try at one task. */
export const attemptAggregate = rowAggregate<Attempt, AttemptEvent>({
  table: 'attempt',
  columns: ['status', 'task', 'convoy', 'repo', 'agent', 'created_at'],
  evolve: evolveAttempt,
  row: ({ id, status, task, convoy, repo, agent, createdAt }) => ({
    id,
    status,
    task,
    convoy,
    repo,
    agent,
    created_at: createdAt,
  }),
});
