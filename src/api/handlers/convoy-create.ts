import type { Kysely } from 'kysely';
import type { Problem } from '../../contract/problem.ts';
import { createConvoy } from '../../contract/routes/convoys.ts';
import { newConvoy } from '../../domain/convoy/new-convoy.ts';
import type { GraphTask } from '../../domain/graph/work-graph.ts';
import type { TaskId } from '../../domain/work/ids.ts';
import { isDispatchable } from '../../domain/work/task.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { activeMemberships } from '../../ledger/queries/convoy-members.ts';
import { graphTasks, graphTree } from '../../ledger/queries/graph-tasks.ts';
import type { Tables } from '../../ledger/tables.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { ok, type Result } from '../../lib/result.ts';
import { writes } from '../context.ts';
import { findTask } from '../find.ts';
import { optionsFor } from '../options.ts';
import { conflict, invalid, refused } from '../problems.ts';
import { convoyView } from '../view/convoy-view.ts';
import { moveConvoy } from './convoy-moves.ts';
import { freshConvoyId } from './convoy-stage.ts';

type Db = Kysely<Tables>;

/** Makes an open convoy that only tracks; it feeds once it is launched. */
export const convoyCreate = writes(createConvoy, async ({ body }, tx, services) => {
  const options = optionsFor(services, body);
  if (!options.ok) return options;
  await tx.alone('graph');
  const name = await properName(tx, body.title, body.tasks);
  if (!name.ok) return name;
  const named = await freeTasks(tx.db, body.tasks, body.from_epic);
  if (!named.ok) return named;
  const { members, epic } = named.value;
  const id = await freshConvoyId(tx, services);
  const convoy = newConvoy(id, {
    title: name.value ?? epic?.title ?? `Batch: ${members.length} tasks`,
    status: 'open',
    epic: epic?.id ?? null,
    options: options.value,
    by: tx.actor,
    at: tx.at,
    waveCount: null,
  });
  const made = await tx.record(convoyAggregate, id, [
    { type: 'convoy-created', convoy },
    ...(members.length > 0 ? [{ type: 'tasks-tracked', tasks: members } as const] : []),
  ]);
  const moved = body.launch
    ? await moveConvoy(tx, made, { type: 'launch', force: false })
    : ok(made);
  return moved.ok ? ok({ convoy: await convoyView(tx.db, moved.value) }) : moved;
});

/** Who forgets the name gives the first task as one; that is a slip, not a name. */
async function properName(
  tx: Tx,
  title: string | undefined,
  tasks: readonly string[],
): Promise<Result<string | undefined, Problem>> {
  if (title === undefined || (await tx.load(taskAggregate, title)) === null) return ok(title);
  return invalid(
    'name_is_a_task',
    `${title} is a task; a convoy needs a name before its tasks.`,
    `convoy create "…" ${[title, ...tasks].join(' ')}`,
  );
}

type NamedTasks = { members: TaskId[]; epic: GraphTask | null };

async function freeTasks(
  db: Db,
  ids: readonly string[],
  fromEpic: string | undefined,
): Promise<Result<NamedTasks, Problem>> {
  const named = await namedTasks(db, ids, fromEpic);
  if (!named.ok) return named;
  const free = await notHeld(db, named.value.members);
  return free.ok ? named : free;
}

async function namedTasks(
  db: Db,
  ids: readonly string[],
  fromEpic: string | undefined,
): Promise<Result<NamedTasks, Problem>> {
  if (fromEpic === undefined) {
    const members = await dispatchable(db, ids);
    return members.ok ? ok({ members: members.value, epic: null }) : members;
  }
  if (ids.length > 0)
    return invalid('mixed_input', 'Name tasks or an epic, not both.', 'Leave one of them out.');
  const found = await findTask(db, fromEpic);
  if (!found.ok) return found;
  if (found.value.type !== 'epic')
    return refused(
      'not_an_epic',
      `${found.value.id} is a ${found.value.type}, not an epic.`,
      `Name it as a task: convoy create <name> ${found.value.id}`,
    );
  const tree = await graphTree(db, [found.value.id], null);
  const members = tree
    .filter(({ type, status }) => isDispatchable(type) && status !== 'cancelled')
    .map(({ id }) => id);
  return ok({ members, epic: tree.find(({ id }) => id === found.value.id) ?? null });
}

/** Every id must name a task that an agent can take; all wrong ones are named at once. */
export async function dispatchable(
  db: Db,
  ids: readonly string[],
): Promise<Result<TaskId[], Problem>> {
  const members: TaskId[] = [];
  for (const id of ids) {
    const task = await findTask(db, id);
    if (!task.ok) return task;
    members.push(task.value.id);
  }
  const wrong = (await graphTasks(db, members)).filter(({ type }) => !isDispatchable(type));
  const [first] = wrong;
  if (first !== undefined)
    return refused(
      'not_dispatchable',
      `${wrong.map(({ id, type }) => `${id} (${type})`).join(', ')} cannot be tracked: no agent takes it.`,
      first.type === 'epic' ? `Use --from-epic ${first.id}.` : 'Name tasks only.',
    );
  return ok([...new Set(members)]);
}

/** A task is in one live convoy at a time. */
export async function notHeld(
  db: Db,
  members: readonly TaskId[],
  except: string | null = null,
): Promise<Result<null, Problem>> {
  const held = (await activeMemberships(db, members)).filter(({ convoy }) => convoy !== except);
  const [first] = held;
  if (first === undefined) return ok(null);
  return conflict(
    'already_tracked',
    `Already tracked: ${held.map(({ task, convoy }) => `${task} in ${convoy}`).join(', ')}.`,
    `Take it out first: convoy remove ${first.convoy} ${first.task}`,
  );
}
