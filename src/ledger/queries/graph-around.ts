import type { Kysely } from 'kysely';
import { type GraphTask, type WorkGraph, workGraph } from '../../domain/graph/work-graph.ts';
import { isOrdering } from '../../domain/work/dependency.ts';
import type { TaskId } from '../../domain/work/ids.ts';
import type { Tables } from '../tables.ts';
import { childIds, graphTasks } from './graph-tasks.ts';

type Db = Kysely<Tables>;

/**
 * Everything that decides whether the given tasks may start: themselves, their ancestors (whose
 * edges they inherit), what all of these wait for, and the children of what is waited for.
 */
export async function graphAround(db: Db, given: readonly GraphTask[]): Promise<WorkGraph> {
  const known = new Map<TaskId, GraphTask>(given.map((task) => [task.id, task]));
  const fetch = async (ids: Iterable<TaskId>): Promise<GraphTask[]> => {
    const missing = [...new Set(ids)].filter((id) => !known.has(id));
    if (missing.length === 0) return [];
    const found = await graphTasks(db, missing);
    for (const task of found) known.set(task.id, task);
    return found;
  };
  let climbing: readonly GraphTask[] = given;
  while (climbing.length > 0) climbing = await fetch(climbing.flatMap(parentOf));
  const targets = [...known.values()].flatMap(targetsOf);
  await fetch(targets);
  const wide = new Set([...known.values()].flatMap(wideTargets));
  await fetch(await childIds(db, wide));
  return workGraph(known.values());
}

/**
 * Everything a task comes after, directly or through others, as far as it goes. A new edge closes a
 * cycle exactly when its own task is found in the region behind the edge's target.
 */
export async function regionBehind(db: Db, starts: readonly string[]): Promise<WorkGraph> {
  const known = new Map<TaskId, GraphTask>();
  let frontier = await graphTasks(db, starts);
  while (frontier.length > 0) {
    for (const task of frontier) known.set(task.id, task);
    const ids = [
      ...frontier.flatMap((task) => [...parentOf(task), ...targetsOf(task)]),
      ...(await childIds(
        db,
        frontier.map((task) => task.id),
      )),
    ];
    frontier = await graphTasks(db, new Set(ids.filter((id) => !known.has(id))));
  }
  return workGraph(known.values());
}

const parentOf = (task: GraphTask): TaskId[] => (task.parent === null ? [] : [task.parent]);

const targetsOf = (task: GraphTask): TaskId[] =>
  task.dependencies.filter(({ kind }) => isOrdering(kind)).map(({ on }) => on);

const wideTargets = (task: GraphTask): TaskId[] =>
  task.dependencies.filter(({ kind }) => kind === 'waits-for').map(({ on }) => on);
