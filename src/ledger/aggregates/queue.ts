import { evolveQueue, type Queue, type QueueEvent } from '../../domain/merge/queue.ts';
import { rowAggregate } from './row-store.ts';

/** A merge queue's own state; its entries are changes. */
export const queueAggregate = rowAggregate<Queue, QueueEvent>({
  table: 'queue',
  columns: ['repo', 'target'],
  evolve: evolveQueue,
  row: ({ id, repo, target }) => ({ id, repo, target }),
});
