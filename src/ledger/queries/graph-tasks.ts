import { type Kysely, sql } from 'kysely';
import type { GraphTask } from '../../domain/graph/work-graph.ts';
import type { Dependency, Level } from '../../domain/work/dependency.ts';
import { repoName, type TaskId, taskId } from '../../domain/work/ids.ts';
import type { Priority, TaskStatus, TaskType } from '../../domain/work/task.ts';
import { chunks } from '../chunks.ts';
import type { Tables } from '../tables.ts';

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
  const rows: Row[] = [];
  const edges: Edge[] = [];
  for (const some of chunks([...new Set(ids)])) {
    rows.push(...(await db.selectFrom('task').select(COLUMNS).where('id', 'in', some).execute()));
    edges.push(
      ...(await db.selectFrom('dependency').selectAll().where('task', 'in', some).execute()),
    );
  }
  return joined(rows, edges);
}

/** The roots and everything below them, down to `depth` levels. No row limits. */
export async function graphTree(
  db: Db,
  roots: readonly string[],
  depth: number | null,
): Promise<GraphTask[]> {
  const rows: Row[] = [];
  const edges: Edge[] = [];
  for (const some of chunks(roots)) {
    const tree = below(some, depth);
    const found =
      await sql<Row>`${tree} select ${columns('task')} from task join tree on tree.id = task.id`.execute(
        db,
      );
    const waits =
      await sql<Edge>`${tree} select dependency.* from dependency join tree on tree.id = dependency.task`.execute(
        db,
      );
    rows.push(...found.rows);
    edges.push(...waits.rows);
  }
  return joined(rows, edges);
}

const columns = (table: string): ReturnType<typeof sql> =>
  sql.join(COLUMNS.map((column) => sql.ref(`${table}.${column}`)));

/** `union`, not `union all`: a parent loop that slipped in must not hang us. */
const below = (roots: readonly string[], depth: number | null): ReturnType<typeof sql> => sql`
  with recursive tree (id, depth) as (
    select id, 0 from task where id in (${sql.join(roots)})
    union
    select task.id, tree.depth + 1 from task join tree on task.parent = tree.id
    where tree.depth < ${sql.lit(depth ?? 1_000_000)}
  )`;

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
  const found: TaskId[] = [];
  for (const some of chunks([...new Set(parents)])) {
    const rows = await db.selectFrom('task').select('id').where('parent', 'in', some).execute();
    found.push(...rows.map(({ id }) => taskId(id)));
  }
  return found;
}
