import { workGraph } from '../domain/graph/work-graph.ts';
import { decideTask } from '../domain/work/decide.ts';
import { epicRollup } from '../domain/work/rollup.ts';
import { taskAggregate } from './aggregates/task.ts';
import { chunks } from './chunks.ts';
import { graphTasks, graphTree } from './queries/graph-tasks.ts';
import type { Tx } from './transaction.ts';

/** Lets every epic above a task follow what happened below it, the nearest first. */
export async function rollUp(tx: Tx, task: string): Promise<void> {
  let [below] = await graphTasks(tx.db, [task]);
  while (below !== undefined && below.parent !== null) {
    const stored = await tx.load(taskAggregate, below.parent);
    if (stored === null) return;
    const epic = stored.state;
    if (epic.type === 'epic') {
      const graph = workGraph(await graphTree(tx.db, [epic.id], null));
      const landed = !epic.ownBranch || (await hasLanded(tx, epic.id));
      const to = epicRollup(graph, epic.id, () => landed);
      const decision = decideTask(epic, { type: 'roll-up', to });
      if (decision.ok) await tx.record(taskAggregate, epic.id, decision.value);
    }
    [below] = await graphTasks(tx.db, [epic.id]);
  }
}

/**
 * Whether the branch of a sub-epic is in the branch above it. A landing speaks for what was merged
 * before it was made: work that came later needs another one.
 */
async function hasLanded(tx: Tx, epic: string): Promise<boolean> {
  const landings = await tx.db
    .selectFrom('change')
    .select(['id', 'status'])
    .where('task', '=', epic)
    .execute();
  if (landings.some(({ status }) => OPEN.has(status))) return false;
  const merged = landings.flatMap(({ id, status }) =>
    status === 'merged' ? [`change/${id}`] : [],
  );
  if (merged.length === 0) return false;
  const below = await tx.db
    .selectFrom('change')
    .select('id')
    .where('task', 'in', await tasksBelow(tx, epic))
    .where('status', '=', 'merged')
    .execute();
  const made = await lastEvent(tx, 'change-enqueued', merged);
  const work = await lastEvent(
    tx,
    'change-merged',
    below.map(({ id }) => `change/${id}`),
  );
  return made > work;
}

async function tasksBelow(tx: Tx, epic: string): Promise<string[]> {
  return (await graphTree(tx.db, [epic], null)).flatMap(({ id }) => (id === epic ? [] : [id]));
}

/** The place of the last such event, in the order they were written; 0 for none. */
async function lastEvent(tx: Tx, kind: string, subjects: readonly string[]): Promise<number> {
  let last = 0;
  for (const some of chunks(subjects)) {
    const row = await tx.db
      .selectFrom('event')
      .select(({ fn }) => fn.max<number | null>('id').as('last'))
      .where('kind', '=', kind)
      .where('subject', 'in', some)
      .executeTakeFirst();
    last = Math.max(last, row?.last ?? 0);
  }
  return last;
}

const OPEN = new Set(['queued', 'verifying', 'waiting_push']);
