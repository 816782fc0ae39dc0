import type { Kysely } from 'kysely';
import type { GraphTask } from '../../domain/graph/work-graph.ts';
import type { Dependency, Level } from '../../domain/work/dependency.ts';
import { repoName, type TaskId, taskId } from '../../domain/work/ids.ts';
import type { Priority, TaskStatus, TaskType } from '../../domain/work/task.ts';
import type { Tables } from '../tables.ts';
import { within } from '../within.ts';

type Db = Kysely<Tables>;

const COLUMNS = [
  'id',
  'type',
  'status',
  'parent',
  'repo',
  'priority',
  'created_at',
  'estimate_minutes',
  'title',
] as const;
type Row = Pick<Tables['task'], (typeof COLUMNS)[number]>;
type Edge = Tables['dependency'];

/** The named tasks as the graph sees them; ids that do not exist are left out. */
export async function graphTasks(db: Db, ids: Iterable<string>): Promise<GraphTask[]> {
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return [];
  const rows = await db
    .selectFrom('task')
    .select(COLUMNS)
    .where(within(db, 'id', wanted))
    .execute();
  return joined(rows, await edgesOf(db, wanted));
}

/** The roots and everything below them, down to `depth` levels. No row limits. */
export async function graphTree(
  db: Db,
  roots: readonly string[],
  depth: number | null,
): Promise<GraphTask[]> {
  const found = new Map<string, Row>();
  let column = 'id';
  let level: readonly string[] = roots;
  // Level by level; what was seen is not asked again, so that a loop of parents cannot hang us.
  for (let deep = 0; level.length > 0 && deep <= (depth ?? Infinity); deep++) {
    const rows = await db
      .selectFrom('task')
      .select(COLUMNS)
      .where(within(db, column, level))
      .execute();
    const fresh = rows.filter(({ id }) => !found.has(id));
    for (const row of fresh) found.set(row.id, row);
    level = fresh.map(({ id }) => id);
    column = 'parent';
  }
  return joined([...found.values()], await edgesOf(db, [...found.keys()]));
}

const edgesOf = (db: Db, tasks: readonly string[]): Promise<Edge[]> =>
  db
    .selectFrom('dependency')
    .selectAll()
    .where(within(db, 'task', tasks))
    .execute();

function joined(rows: readonly Row[], edges: readonly Edge[]): GraphTask[] {
  const waits = new Map<string, Dependency[]>();
  for (const edge of edges) {
    const list = waits.get(edge.task);
    if (list === undefined) waits.set(edge.task, [dependencyOf(edge)]);
    else list.push(dependencyOf(edge));
  }
  for (const list of waits.values()) if (list.length > 1) list.sort(byTarget);
  return oldestFirst(rows).map((row) => ({
    id: taskId(row.id),
    // oxlint-disable typescript/no-unsafe-type-assertion -- only the task aggregate writes these columns
    type: row.type as TaskType,
    status: row.status as TaskStatus,
    priority: row.priority as Priority,
    // oxlint-enable typescript/no-unsafe-type-assertion
    parent: row.parent === null ? null : taskId(row.parent),
    repo: row.repo === null ? null : repoName(row.repo),
    createdAt: row.created_at,
    estimateMinutes: row.estimate_minutes,
    title: row.title,
    dependencies: waits.get(row.id) ?? NONE,
  }));
}

/** Neither engine promises an order, and what people are shown must not depend on the engine. */
function oldestFirst(rows: readonly Row[]): readonly Row[] {
  const isSorted = rows.every(
    (row, place) => place === 0 || byAge(rows[place - 1] ?? row, row) <= 0,
  );
  return isSorted ? rows : rows.toSorted(byAge);
}

/** Shorter ids first: the tenth child comes after the second. */
function byAge(a: Row, b: Row): number {
  if (a.created_at !== b.created_at) return a.created_at - b.created_at;
  if (a.id.length !== b.id.length) return a.id.length - b.id.length;
  return a.id < b.id ? -1 : 1;
}

const byTarget = (a: Dependency, b: Dependency): number =>
  a.on === b.on ? (a.kind < b.kind ? -1 : 1) : a.on < b.on ? -1 : 1;

const NONE: readonly Dependency[] = [];

const dependencyOf = (edge: Edge): Dependency => ({
  on: taskId(edge.on_task),
  kind: edge.kind,
  // oxlint-disable typescript/no-unsafe-type-assertion -- only the task aggregate writes these columns
  ...(edge.level === null ? {} : { level: edge.level as Level }),
  ...(edge.children === null ? {} : { children: edge.children as 'all' | 'any' }),
});

/** Ids of everything directly below the given tasks. */
export async function childIds(db: Db, parents: Iterable<string>): Promise<TaskId[]> {
  const rows = await db
    .selectFrom('task')
    .select('id')
    .where(within(db, 'parent', [...new Set(parents)]))
    .execute();
  return rows.map(({ id }) => taskId(id));
}
