import type { Problem } from '../../contract/problem.ts';
import type { BodyOf } from '../../contract/route.ts';
import { slingTasks } from '../../contract/routes/convoys.ts';
import { type Convoy, isStaged } from '../../domain/convoy/convoy.ts';
import type { ConvoyCommand } from '../../domain/convoy/events.ts';
import { decideTask } from '../../domain/work/decide.ts';
import { isTerminal, type Task } from '../../domain/work/task.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { repoAggregate } from '../../ledger/aggregates/repo.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { activeMemberships } from '../../ledger/queries/convoy-members.ts';
import { rollUp } from '../../ledger/roll-up.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { ok, type Result } from '../../lib/result.ts';
import { type Services, writesAfter } from '../context.ts';
import { findTask } from '../find.ts';
import { conflict, invalid, refused } from '../problems.ts';
import { settingsOf } from '../repos.ts';
import { gitBefore } from '../stage/git-before.ts';
import type { GitFacts } from '../stage/repos.ts';
import { moveConvoy } from './convoy-moves.ts';
import { stageBatch } from './convoy-stage.ts';

type Body = BodyOf<typeof slingTasks>;
type Slung = { convoy_id: string; status: string; warnings: string[] };

/** For the impatient: one shared convoy, started at once, order respected. */
export const convoySling = writesAfter(
  slingTasks,
  ({ body }, services) => gitBefore(body, services),
  async ({ body }, tx, services, git) => {
    await tx.alone('graph');
    const tasks = await named(body, tx);
    if (!tasks.ok) return tasks;
    const fit = await fitToStart(tasks.value, body, tx, services);
    if (!fit.ok) return fit;
    if (body.agent !== undefined)
      for (const { id, type } of tasks.value)
        if (type !== 'epic')
          await tx.record(taskAggregate, id, [
            { type: 'task-edited', patch: { agent: body.agent } },
          ]);
    for (const task of tasks.value) await wake(task, tx);
    const held = await activeMemberships(
      tx.db,
      tasks.value.map(({ id }) => id),
    );
    const convoys = [...new Set(held.map(({ convoy }) => convoy))];
    const [only] = convoys;
    if (convoys.length > 1 || (only !== undefined && held.length < tasks.value.length))
      return conflict(
        'spread_over_convoys',
        `These tasks belong to different convoys: ${held.map(({ task, convoy }) => `${task} in ${convoy}`).join(', ')}.`,
        'Sling those of one convoy at a time, or take them out with convoy remove.',
      );
    return only === undefined ? startNew(body, tx, services, git) : startThere(only, tx);
  },
);

async function named(body: Body, tx: Tx): Promise<Result<Task[], Problem>> {
  const tasks: Task[] = [];
  for (const target of body.targets) {
    const task = await findTask(tx.db, target);
    if (!task.ok) return task;
    tasks.push(task.value);
  }
  return ok(tasks);
}

/** Finished work is never started again by accident, and nothing starts in a parked repo. */
async function fitToStart(
  tasks: readonly Task[],
  body: Body,
  tx: Tx,
  services: Services,
): Promise<Result<null, Problem>> {
  const settings = settingsOf(services);
  if (!settings.ok) return settings;
  if (body.agent !== undefined && settings.value.agents[body.agent] === undefined)
    return invalid(
      'agent_unknown',
      `There is no [agents.${body.agent}] in config.toml.`,
      'convoy doctor lists the agents.',
    );
  const over = tasks.find(({ status }) => isTerminal(status) && status !== 'failed');
  if (over !== undefined)
    return refused(
      'wrong_state',
      `${over.id} is ${over.status}.`,
      `convoy task reopen ${over.id} takes it up again.`,
    );
  const deferred = tasks.find(({ status }) => status === 'deferred');
  if (deferred !== undefined && !body.force)
    return refused(
      'wrong_state',
      `${deferred.id} is deferred.`,
      'Add --force, or wait for its date.',
    );
  for (const repo of new Set(tasks.flatMap((task) => task.repo ?? []))) {
    const parked = (await tx.load(repoAggregate, repo))?.state.parked ?? null;
    if (parked !== null)
      return refused('parked_repo', `${repo} is parked: ${parked}.`, `convoy repo unpark ${repo}`);
  }
  return ok(null);
}

/** Slung means now: a failed task gets new attempts, a deferred one that was forced waits no longer. */
async function wake({ id, status }: Task, tx: Tx): Promise<void> {
  if (status !== 'failed' && status !== 'deferred') return;
  const stored = await tx.load(taskAggregate, id);
  if (stored === null) return;
  const decision = decideTask(
    stored.state,
    status === 'failed' ? { type: 'retry', reason: 'slung again' } : { type: 'release' },
  );
  if (!decision.ok) return;
  await tx.record(taskAggregate, id, decision.value);
  await rollUp(tx, id);
}

async function startNew(
  body: Body,
  tx: Tx,
  services: Services,
  git: GitFacts,
): Promise<Result<Slung, Problem>> {
  const staged = await stageBatch(
    {
      targets: body.targets,
      launch: true,
      force: true,
      create_branches: false,
      infer_blocks: false,
      ...(body.merge_mode === undefined ? {} : { merge_mode: body.merge_mode }),
      ...(body.max_parallel === undefined ? {} : { max_parallel: body.max_parallel }),
    },
    tx,
    services,
    git,
  );
  if (!staged.ok) return staged;
  const { convoy_id, errors, warnings } = staged.value;
  const [first] = errors;
  if (first !== undefined || convoy_id === null)
    return refused(
      first?.code ?? 'not_staged',
      first?.message ?? 'Nothing to start.',
      first?.fix ?? '',
    );
  return ok({ convoy_id, status: 'open', warnings: warnings.map(({ message }) => message) });
}

async function startThere(id: string, tx: Tx): Promise<Result<Slung, Problem>> {
  const stored = await tx.load(convoyAggregate, id);
  if (stored === null) throw new Error(`No convoy ${id}`);
  const convoy = stored.state;
  const moved = await moveConvoy(tx, convoy, startOf(convoy));
  return moved.ok ? ok({ convoy_id: id, status: moved.value.status, warnings: [] }) : moved;
}

const startOf = ({ status }: Convoy): ConvoyCommand => {
  if (isStaged(status)) return { type: 'launch', force: true };
  return status === 'stalled' ? { type: 'resume' } : { type: 'feed' };
};
