import type { Kysely } from 'kysely';
import type { Dependency } from '../../domain/work/dependency.ts';
import type { TaskEvent } from '../../domain/work/events.ts';
import { evolveTask } from '../../domain/work/evolve.ts';
import type { Task } from '../../domain/work/task.ts';
import type { Aggregate, Change, Satellite, Stored } from '../aggregate.ts';
import { prepared } from '../prepared.ts';
import type { Tables } from '../tables.ts';

const edges: Satellite<TaskEvent> = {
  async stored(db) {
    const rows = await db.selectFrom('dependency').selectAll().execute();
    return rows.map((edge) => ({ id: edge.task, fact: `${edge.kind} ${edge.on_task}` }));
  },
  fold(facts, _, event) {
    if (event.type === 'task-created')
      for (const { kind, on } of event.task.dependencies) facts.add(`${kind} ${on}`);
    if (event.type === 'dependency-added')
      facts.add(`${event.dependency.kind} ${event.dependency.on}`);
    if (event.type === 'dependency-removed') facts.delete(`${event.kind} ${event.on}`);
  },
};

/** A task's row, its edges and its labels. */
export const taskAggregate: Aggregate<Task, TaskEvent> = {
  name: 'task',
  evolve: evolveTask,
  load,
  save,
  stored: (db) => db.selectFrom('task').selectAll().execute(),
  row: taskRow,
  satellites: [edges],
};

async function load(db: Kysely<Tables>, id: string): Promise<Stored<Task> | null> {
  const [row] = await selectTask(db, { id });
  if (row === undefined) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only save() writes this column
  return { state: JSON.parse(row.state) as Task, version: row.version };
}

async function save(db: Kysely<Tables>, change: Change<Task, TaskEvent>): Promise<void> {
  const { before, after, version } = change;
  const row = taskRow(after, version);
  await (before === null ? insertTask(db, row) : updateTask(db, row));
  if (before === null || before.dependencies !== after.dependencies)
    await saveEdges(db, after.id, before?.dependencies ?? [], after.dependencies);
  if (before === null || before.labels !== after.labels)
    await saveLabels(db, after.id, before?.labels ?? [], after.labels);
}

async function saveEdges(
  db: Kysely<Tables>,
  task: string,
  before: readonly Dependency[],
  after: readonly Dependency[],
): Promise<void> {
  const kept = new Set(after.map(edgeName));
  const known = new Set(before.map(edgeName));
  for (const { on, kind } of before.filter((edge) => !kept.has(edgeName(edge))))
    await db
      .deleteFrom('dependency')
      .where('task', '=', task)
      .where('on_task', '=', on)
      .where('kind', '=', kind)
      .execute();
  for (const { on, kind, level, children } of after.filter((edge) => !known.has(edgeName(edge))))
    await insertEdge(db, {
      task,
      on_task: on,
      kind,
      level: level ?? null,
      children: children ?? null,
    });
}

async function saveLabels(
  db: Kysely<Tables>,
  task: string,
  before: readonly string[],
  after: readonly string[],
): Promise<void> {
  const gone = before.filter((label) => !after.includes(label));
  const fresh = [...new Set(after)].filter((label) => !before.includes(label));
  if (gone.length > 0)
    await db.deleteFrom('task_label').where('task', '=', task).where('label', 'in', gone).execute();
  if (fresh.length > 0)
    await db
      .insertInto('task_label')
      .values(fresh.map((label) => ({ task, label })))
      .execute();
}

const COLUMNS = [
  'id',
  'version',
  'status',
  'type',
  'repo',
  'title',
  'priority',
  'parent',
  'assignee',
  'estimate_minutes',
  'created_at',
  'updated_at',
  'state',
] as const;
type Row = Pick<Tables['task'], (typeof COLUMNS)[number]>;

function taskRow(task: Task, version: number): Row {
  return {
    id: task.id,
    version,
    status: task.status,
    type: task.type,
    repo: task.repo,
    title: task.title,
    priority: task.priority,
    parent: task.parent,
    assignee: task.assignee,
    estimate_minutes: task.estimateMinutes,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    state: JSON.stringify(task),
  };
}

const selectTask = prepared(['id'], (db, { id }: { id: string }) =>
  db.selectFrom('task').select(['state', 'version']).where('id', '=', id),
);

const insertTask = prepared(COLUMNS, (db, row: Row) => db.insertInto('task').values(row));

const updateTask = prepared(COLUMNS, (db, { id, ...row }: Row) =>
  db.updateTable('task').set(row).where('id', '=', id),
);

const insertEdge = prepared(
  ['task', 'on_task', 'kind', 'level', 'children'],
  (db, edge: Tables['dependency']) => db.insertInto('dependency').values(edge),
);

const edgeName = (edge: Dependency): string => `${edge.on} ${edge.kind}`;
