import { listQueue, showChange } from '../../contract/routes/queue.ts';
import type { Change } from '../../domain/merge/change.ts';
import { allQueues, openChanges, unlandedChanges } from '../../ledger/queries/changes.ts';
import { ok } from '../../lib/result.ts';
import { reads } from '../context.ts';
import { detailView, entryViews, stateView } from '../view/queue-view.ts';
import { findChange } from './queue-find.ts';

export const queueList = reads(listQueue, async ({ query }, services) => {
  const { db } = services.ledger;
  const isMeant = ({ repo, target }: Pick<Change, 'repo' | 'target'>): boolean =>
    (query.repo === undefined || repo === query.repo) &&
    (query.target === undefined || target === query.target || target === '*');
  const changes = query.all === true ? await unlandedChanges(db) : await openChanges(db);
  const entries = await entryViews(db, changes.filter(isMeant), services.now());
  const queues = (await allQueues(db)).filter(isMeant);
  const stopped = queues.find(({ paused }) => paused !== null);
  return ok({
    entries: entries.toSorted(
      (a, b) =>
        compare(a.repo, b.repo) ||
        compare(a.target, b.target) ||
        (a.position ?? Infinity) - (b.position ?? Infinity) ||
        b.waiting_s - a.waiting_s,
    ),
    paused: stopped !== undefined,
    reason: stopped?.paused?.reason ?? null,
    queues: queues.map(stateView),
  });
});

const compare = (a: string, b: string): number => (a < b ? -1 : Number(a > b));

export const queueShow = reads(showChange, async ({ params }, services) => {
  const { db } = services.ledger;
  const found = await findChange(db, params.id);
  return found.ok ? ok({ entry: await detailView(db, found.value, services.now()) }) : found;
});
