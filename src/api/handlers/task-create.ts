import type { Problem } from '../../contract/problem.ts';
import { createTask } from '../../contract/routes/tasks.ts';
import type { NewTaskJson } from '../../contract/schemas/task.ts';
import { checkEdge } from '../../domain/graph/edge-rules.ts';
import { decideTask } from '../../domain/work/decide.ts';
import type { Dependency } from '../../domain/work/dependency.ts';
import { type RepoName, type TaskId, taskId } from '../../domain/work/ids.ts';
import { newTask, type TaskDraft } from '../../domain/work/new-task.ts';
import type { Task } from '../../domain/work/task.ts';
import { childId, idLength } from '../../domain/work/task-id.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { regionBehind } from '../../ledger/queries/graph-around.ts';
import { rollUp } from '../../ledger/roll-up.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { type Services, writes } from '../context.ts';
import { edgeProblem } from '../edge-problem.ts';
import { findTask } from '../find.ts';
import { refused } from '../problems.ts';
import { repoFor, settingsOf } from '../repos.ts';
import { showOne } from './task-show.ts';

/** Writes a task down with its place in the hierarchy and its edges. */
export const taskCreate = writes(createTask, async ({ body }, tx, services) => {
  // Parents and edges are rules across subjects: one at a time.
  await tx.alone('graph');
  const place = await placeOf(body, tx, services);
  if (!place.ok) return place;
  const edges = await resolveEdges(tx, body.depends_on ?? []);
  if (!edges.ok) return edges;
  const { id, repo, parent } = place.value;
  const task = newTask(id, draftOf(body, repo, parent), tx.actor, tx.at);
  await tx.record(taskAggregate, task.id, [{ type: 'task-created', task }]);
  const linked = await link(tx, task, edges.value);
  if (!linked.ok) return linked;
  await rollUp(tx, task.id);
  return ok({ task: await showOne(tx.db, task.id) });
});

type Place = { id: TaskId; repo: RepoName; parent: TaskId | null };

async function placeOf(
  body: NewTaskJson,
  tx: Tx,
  services: Services,
): Promise<Result<Place, Problem>> {
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  const parent = body.parent === undefined ? ok(null) : await findTask(tx.db, body.parent);
  if (!parent.ok) return parent;
  const repo = repoFor(settings.value, body.repo, parent.value);
  if (!repo.ok) return repo;
  const prefix = settings.value.repos[repo.value]?.prefix ?? repo.value;
  const id = await freshId(tx, services, prefix, parent.value);
  if (!id.ok) return id;
  return ok({ id: id.value, repo: repo.value, parent: parent.value?.id ?? null });
}

async function freshId(
  tx: Tx,
  services: Services,
  prefix: string,
  parent: Task | null,
): Promise<Result<TaskId, Problem>> {
  if (parent !== null) return numberedId(tx, parent);
  const { count } = await tx.db
    .selectFrom('task')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow();
  const length = idLength(count);
  for (;;) {
    const id = taskId(`${prefix}-${services.ids.base36(length)}`);
    if ((await tx.load(taskAggregate, id)) === null) return ok(id);
  }
}

async function numberedId(tx: Tx, parent: Task): Promise<Result<TaskId, Problem>> {
  for (let number = parent.childCount + 1; ; number++) {
    const id = childId(parent.id, number);
    if (id === null)
      return refused(
        'too_deep',
        `${parent.id} is three levels deep already; ids go no deeper.`,
        `Put the task beside it, under ${parent.parent ?? 'another epic'}.`,
      );
    if ((await tx.load(taskAggregate, id)) !== null) continue;
    await tx.record(taskAggregate, parent.id, [{ type: 'child-numbered', number }]);
    return ok(id);
  }
}

async function resolveEdges(
  tx: Tx,
  wanted: readonly {
    on: string;
    kind: string;
    level?: Dependency['level'];
    children?: 'all' | 'any' | undefined;
  }[],
): Promise<Result<Dependency[], Problem>> {
  const edges: Dependency[] = [];
  for (const { on, kind, level, children } of wanted) {
    const target = await findTask(tx.db, on);
    if (!target.ok) return target;
    if (edges.some((edge) => edge.on === target.value.id && edge.kind === kind)) continue;
    edges.push({
      on: target.value.id,
      kind,
      ...(level === undefined ? {} : { level }),
      ...(children === undefined ? {} : { children }),
    });
  }
  return ok(edges);
}

/** Adds edges one by one, each checked against everything written before it. */
export async function link(
  tx: Tx,
  task: Task,
  edges: readonly Dependency[],
): Promise<Result<null, Problem>> {
  for (const dependency of edges) {
    const graph = await regionBehind(tx.db, [task.id, dependency.on]);
    const refusal = checkEdge(graph, task.id, dependency);
    if (refusal !== null) return err(edgeProblem(task.id, refusal));
    const decision = decideTask(task, { type: 'add-dependency', dependency });
    if (decision.ok) await tx.record(taskAggregate, task.id, decision.value);
  }
  return ok(null);
}

function draftOf(body: NewTaskJson, repo: RepoName, parent: TaskId | null): TaskDraft {
  const { description, acceptance, type, priority, labels, assignee, metadata, agent, verify } =
    body;
  return {
    title: body.title,
    repo,
    parent,
    ...defined({ description, acceptance, type, priority, assignee, metadata, agent, verify }),
    ...defined({
      labels: labels === undefined ? undefined : [...new Set(labels)],
      estimateMinutes: body.estimate_minutes,
      externalRef: body.external_ref,
      ownBranch: body.own_branch,
    }),
    dueAt: time(body.due_at),
    deferUntil: time(body.defer_until),
  };
}

const time = (text: string | null | undefined): number | null =>
  text == null ? null : Date.parse(text);

/** Drops what was not said, so that defaults hold. */
function defined<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const said = Object.entries(fields).filter(([, value]) => value !== undefined);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only undefined values were taken out
  return Object.fromEntries(said) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
