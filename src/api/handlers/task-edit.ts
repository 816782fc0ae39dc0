import type { Problem } from '../../contract/problem.ts';
import { editTask } from '../../contract/routes/tasks.ts';
import type { TaskEditJson } from '../../contract/schemas/task.ts';
import { findCycles } from '../../domain/graph/cycles.ts';
import type { TaskCommand, TaskPatch } from '../../domain/work/commands.ts';
import { decideTask } from '../../domain/work/decide.ts';
import type { RepoName, TaskId } from '../../domain/work/ids.ts';
import type { Task } from '../../domain/work/task.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { regionBehind } from '../../ledger/queries/graph-around.ts';
import { rollUp } from '../../ledger/roll-up.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { type Services, writes } from '../context.ts';
import { findTask } from '../find.ts';
import { refused, taskProblem } from '../problems.ts';
import { repoFor, settingsOf } from '../repos.ts';
import { showOne } from './task-show.ts';

/** Changes what a task says, its place or its hold. */
export const taskEdit = writes(editTask, async ({ params, body }, tx, services) => {
  await tx.alone('graph');
  const found = await findTask(tx.db, params.id);
  if (!found.ok) return found;
  const task = found.value;
  const patch = await patchOf(task, body, tx, services);
  if (!patch.ok) return patch;
  const told = stillToldTo(task, patch.value);
  if (!told.ok) return told;
  for (const command of commandsOf(task, body, patch.value)) {
    const now = (await tx.load(taskAggregate, task.id))?.state ?? task;
    const decision = decideTask(now, command);
    if (!decision.ok) return err(taskProblem(task.id, decision.error));
    await tx.record(taskAggregate, task.id, decision.value);
  }
  if (patch.value.parent !== undefined) {
    const looped = await checkHierarchy(tx, task.id);
    if (!looped.ok) return looped;
  }
  await rollUp(tx, task.id);
  return ok({ task: await showOne(tx.db, task.id) });
});

/** What an agent was told when it began. */
const BRIEF = ['title', 'description', 'acceptance', 'repo', 'agent', 'verify'] as const;

/** An agent at work has read its task already and would never hear of the change. */
function stillToldTo(task: Task, patch: TaskPatch): Result<null, Problem> {
  const changed = BRIEF.filter((field) => patch[field] !== undefined);
  if (task.status !== 'in_progress' || task.attempt === null || changed.length === 0)
    return ok(null);
  return refused(
    'being_worked_on',
    `${task.id} is being worked on; its agent would not hear that its ${changed.join(', ')} changed.`,
    'Change it when the attempt has ended, or say what is new in a task that depends on it.',
    [task.id, task.attempt],
  );
}

function commandsOf(task: Task, body: TaskEditJson, patch: TaskPatch): TaskCommand[] {
  const commands: TaskCommand[] = [];
  if (Object.keys(patch).length > 0) commands.push({ type: 'edit', patch });
  const hold = holdOf(task, body);
  if (hold !== null) commands.push(hold);
  return commands;
}

function holdOf(task: Task, body: TaskEditJson): TaskCommand | null {
  const until = body.defer_until == null ? null : Date.parse(body.defer_until);
  switch (body.status) {
    case undefined:
      if (body.defer_until === undefined) return null;
      return body.defer_until === null ? { type: 'release' } : { type: 'defer', until };
    case 'open':
      return task.status === 'open' ? null : { type: 'release' };
    case 'deferred':
      return { type: 'defer', until };
    case 'pinned':
      return { type: 'pin' };
    case 'blocked':
      return { type: 'hold', reason: body.reason ?? 'held by hand' };
    default:
      return null;
  }
}

async function patchOf(
  task: Task,
  body: TaskEditJson,
  tx: Tx,
  services: Services,
): Promise<Result<TaskPatch, Problem>> {
  const repo = changedRepo(body, services);
  if (!repo.ok) return repo;
  const parent = await changedParent(task, body, tx);
  if (!parent.ok) return parent;
  if (body.type !== undefined && body.type !== task.type && task.status === 'in_progress')
    return refused(
      'wrong_state',
      `${task.id} is in progress; its type cannot change now.`,
      'Wait for the attempt to end, or pause the convoy.',
    );
  return ok({ ...saidOf(body), ...labelsOf(task, body), ...repo.value, ...parent.value });
}

function saidOf(body: TaskEditJson): TaskPatch {
  const { title, description, acceptance, type, priority, assignee, metadata, agent, verify } =
    body;
  const said = {
    title,
    description,
    acceptance,
    type,
    priority,
    assignee,
    metadata,
    agent,
    verify,
    estimateMinutes: body.estimate_minutes,
    externalRef: body.external_ref,
    ownBranch: body.own_branch,
    dueAt: body.due_at == null ? body.due_at : Date.parse(body.due_at),
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value !== undefined));
}

function labelsOf(task: Task, { labels, add_labels, remove_labels }: TaskEditJson): TaskPatch {
  if (labels === undefined && add_labels === undefined && remove_labels === undefined) return {};
  const gone = new Set(remove_labels);
  const wanted = new Set([...(labels ?? task.labels), ...(add_labels ?? [])]);
  return { labels: [...wanted].filter((label) => !gone.has(label)) };
}

function changedRepo(
  body: TaskEditJson,
  services: Services,
): Result<{ repo?: RepoName | null }, Problem> {
  if (body.repo === undefined) return ok({});
  if (body.repo === null) return ok({ repo: null });
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  const repo = repoFor(settings.value, body.repo, null);
  return repo.ok ? ok({ repo: repo.value }) : repo;
}

async function changedParent(
  task: Task,
  body: TaskEditJson,
  tx: Tx,
): Promise<Result<{ parent?: TaskId | null }, Problem>> {
  if (body.parent === undefined) return ok({});
  if (body.parent === null) return ok({ parent: null });
  const parent = await findTask(tx.db, body.parent);
  if (!parent.ok) return parent;
  if (parent.value.id === task.id)
    return refused('self_parent', `${task.id} cannot be its own parent.`, 'Name another task.');
  return ok({ parent: parent.value.id });
}

/** A new parent brings its edges along; together they must not form a cycle. */
async function checkHierarchy(tx: Tx, id: string): Promise<Result<null, Problem>> {
  const [cycle] = findCycles(await regionBehind(tx.db, [id]));
  return cycle === undefined
    ? ok(null)
    : refused(
        'cycle',
        `Under that parent ${id} would be part of a cycle: ${[...cycle.path, ...cycle.path.slice(0, 1)].join(' → ')}. Each would wait for the next.`,
        `Choose a parent that neither is below ${id} nor waits for it.`,
        cycle.path,
      );
}
