import type { Change, ChangeEvent } from '../../domain/merge/change.ts';
import { evolveChange } from '../../domain/merge/evolve-change.ts';
import { queueId } from '../../domain/merge/queue.ts';
import { rowAggregate } from './row-store.ts';

/** Work on its way into a target branch. */
export const changeAggregate = rowAggregate<Change, ChangeEvent>({
  table: 'change',
  columns: ['status', 'queue', 'task', 'convoy', 'enqueued_at'],
  evolve: evolveChange,
  row: ({ id, status, repo, target, task, convoy, enqueuedAt }) => ({
    id,
    status,
    queue: queueId(repo, target),
    task,
    convoy,
    enqueued_at: enqueuedAt,
  }),
});
