import type { Kysely } from 'kysely';
import { type Convoy, hasEnded, isStaged } from '../../domain/convoy/convoy.ts';
import type { Finding } from '../../domain/convoy/findings.ts';
import type { GraphTask } from '../../domain/graph/work-graph.ts';
import { type TaskId } from '../../domain/work/ids.ts';
import { isDispatchable, isTerminal } from '../../domain/work/task.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { activeMemberships, convoyMembers } from '../../ledger/queries/convoy-members.ts';
import { graphTasks, graphTree } from '../../ledger/queries/graph-tasks.ts';
import type { Tables } from '../../ledger/tables.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import { find } from '../find.ts';

type Db = Kysely<Tables>;

/** What is to be staged: everything walked, what of it is tracked, and the staged convoy it renews. */
export type Batch = {
  readonly tasks: readonly GraphTask[];
  readonly members: readonly TaskId[];
  readonly epic: GraphTask | null;
  readonly restage: Convoy | null;
};

/** Reads one epic, or tasks, or one convoy. Everything below an epic counts, without limits. */
export async function batchOf(
  db: Db,
  targets: readonly string[],
  maxDepth: number | null,
  repos: readonly string[],
): Promise<Result<Batch, Finding[]>> {
  const named = await resolveAll(db, targets, repos);
  if (!named.ok) return named;
  const convoys = named.value.filter(({ kind }) => kind === 'convoy');
  const ids = named.value.filter(({ kind }) => kind === 'task').map(({ id }) => id);
  const [convoy] = convoys;
  if (convoys.length > 1 || (convoy !== undefined && ids.length > 0)) return err([mixed(targets)]);
  if (convoy !== undefined) return batchOfConvoy(db, convoy.id, maxDepth);
  const tasks = inOrder(await graphTasks(db, ids), ids);
  const epics = tasks.filter(({ type }) => type === 'epic');
  const [epic] = epics;
  if (epics.length > 1 || (epic !== undefined && tasks.length > 1)) return err([mixed(targets)]);
  const walked = epic === undefined ? tasks : await graphTree(db, [epic.id], maxDepth);
  return attachConvoy(db, walked, epic ?? null);
}

/** As they were named; the database answers in an order of its own. */
function inOrder(tasks: readonly GraphTask[], ids: readonly string[]): GraphTask[] {
  const byId = new Map<string, GraphTask>(tasks.map((task) => [task.id, task]));
  return [...new Set(ids)].flatMap((id) => byId.get(id) ?? []);
}

async function resolveAll(
  db: Db,
  targets: readonly string[],
  repos: readonly string[],
): Promise<Result<{ kind: string; id: string }[], Finding[]>> {
  const found: { kind: string; id: string }[] = [];
  const errors: Finding[] = [];
  for (const target of new Set(targets)) {
    const named = await find(db, target);
    if (named.ok) found.push(named.value);
    else
      errors.push({
        code: named.error.kind === 'conflict' ? 'ambiguous_id' : 'missing_task',
        message: named.error.message,
        ids: [target],
        fix: repos.includes(target)
          ? `${target} is a repo; convoy task list --repo ${target} shows its tasks.`
          : (named.error.remedy ?? 'convoy task list'),
      });
  }
  return errors.length > 0 ? err(errors) : ok(found);
}

async function batchOfConvoy(
  db: Db,
  id: string,
  maxDepth: number | null,
): Promise<Result<Batch, Finding[]>> {
  const stored = await convoyAggregate.load(db, id);
  if (stored === null) throw new Error(`No convoy ${id}`);
  const convoy = stored.state;
  if (!isStaged(convoy.status)) return err([notStaged(convoy)]);
  if (convoy.epic !== null) {
    const walked = await graphTree(db, [convoy.epic], maxDepth);
    const epic = walked.find((task) => task.id === convoy.epic) ?? null;
    return ok({ tasks: walked, members: trackable(walked), epic, restage: convoy });
  }
  const tasks = await graphTasks(db, await convoyMembers(db, id));
  return ok({ tasks, members: trackable(tasks), epic: null, restage: convoy });
}

/** A batch whose tasks are in one staged convoy already renews it instead of making a second. */
async function attachConvoy(
  db: Db,
  tasks: readonly GraphTask[],
  epic: GraphTask | null,
): Promise<Result<Batch, Finding[]>> {
  const members = trackable(tasks);
  const held = await activeMemberships(db, members);
  const running = held.filter(({ status }) => !status.startsWith('staged_'));
  if (running.length > 0)
    return err(
      [...Map.groupBy(running, ({ convoy }) => convoy)].map(([convoy, rows]) =>
        taken(
          convoy,
          rows[0]?.status ?? 'open',
          rows.map(({ task }) => task),
        ),
      ),
    );
  const staged = [...new Set(held.map(({ convoy }) => convoy))];
  const [only] = staged;
  if (staged.length > 1)
    return err([
      {
        code: 'ambiguous_convoy',
        message: `These tasks are spread over several staged convoys: ${staged.join(', ')}.`,
        ids: staged,
        fix: `Stage one of them by its id, or close the others: convoy close ${staged[1]} --force`,
      },
    ]);
  const restage =
    only === undefined ? null : ((await convoyAggregate.load(db, only))?.state ?? null);
  return ok({ tasks, members, epic, restage });
}

/** What a convoy tracks: open work that an agent can take. */
const trackable = (tasks: readonly GraphTask[]): TaskId[] =>
  tasks
    .filter(
      ({ type, status }) => isDispatchable(type) && (!isTerminal(status) || status === 'failed'),
    )
    .map(({ id }) => id);

const mixed = (targets: readonly string[]): Finding => ({
  code: 'mixed_input',
  message: 'Stage takes one epic, or tasks, or one convoy, not a mixture.',
  ids: [...targets],
  fix: 'Stage them one by one, or put the tasks under one epic.',
});

/** Only what is staged is staged again; the code is the contract's, the words say what really is. */
const notStaged = ({ id, status }: Convoy): Finding => ({
  code: 'already_launched',
  message: `${id} is ${status}; only a staged convoy is staged again.`,
  ids: [id],
  fix: hasEnded(status)
    ? `convoy status ${id} shows how it ended; stage its tasks or its epic anew`
    : `convoy status ${id} shows where it is; convoy add ${id} <task> adds to it`,
});

const taken = (convoy: string, status: string, tasks: readonly string[]): Finding => ({
  code: 'already_launched',
  message: `${tasks.length === 1 ? `${tasks[0]} already belongs` : `${tasks.length} tasks already belong`} to ${convoy}, which is ${status}.`,
  ids: [convoy, ...tasks],
  fix: `Wait for ${convoy}, or descope them: convoy remove ${convoy} ${tasks[0]}`,
});
