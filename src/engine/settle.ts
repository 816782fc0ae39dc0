import { type Convoy, hasEnded } from '../domain/convoy/convoy.ts';
import { decideConvoy } from '../domain/convoy/decide.ts';
import type { ConvoyCommand } from '../domain/convoy/events.ts';
import { outlook } from '../domain/convoy/outlook.ts';
import type { Change } from '../domain/merge/change.ts';
import { EVERY_TARGET, queueId } from '../domain/merge/queue.ts';
import { attemptId, changeId, repoName, taskId } from '../domain/work/ids.ts';
import { readiness } from '../domain/work/readiness.ts';
import type { Task } from '../domain/work/task.ts';
import { changeAggregate } from '../ledger/aggregates/change.ts';
import { convoyAggregate } from '../ledger/aggregates/convoy.ts';
import { allQueues, changesOfConvoy } from '../ledger/queries/changes.ts';
import { convoyList } from '../ledger/queries/convoy-list.ts';
import { convoyMembers } from '../ledger/queries/convoy-members.ts';
import { graphAround } from '../ledger/queries/graph-around.ts';
import { tasksById } from '../ledger/queries/task-list.ts';
import { surroundingsOf } from '../ledger/surroundings.ts';
import { err, ok } from '../lib/result.ts';
import { agentCheck } from '../ports/missing-agent.ts';
import type { RepoSettings, Settings } from '../ports/settings.ts';
import { integrationBranch, landingTargetOf, mergeModeOf, repositoryOf } from './targets.ts';
import { ENGINE, type World } from './world.ts';

const MOST = 10_000;

/** Lets every launched convoy follow its tasks: stalled, moving again, landing, landed or closed. */
export async function settlePass(world: World): Promise<void> {
  const settings = world.settings.read();
  if (!settings.ok) return;
  const live = await convoyList(world.ledger.db, {
    status: ['open', 'stalled', 'landing'],
    limit: MOST,
  });
  for (const convoy of live.filter(({ feeding }) => feeding))
    await settleConvoy(world, settings.value, convoy);
}

async function settleConvoy(world: World, settings: Settings, convoy: Convoy): Promise<void> {
  const { db } = world.ledger;
  const tasks = await tasksById(db, await convoyMembers(db, convoy.id));
  const changes = await changesOfConvoy(db, convoy.id);
  const graph = await graphAround(db, tasks);
  const facts = await surroundingsOf(db, settings, tasks, {
    now: world.now(),
    agentMissing: agentCheck(settings, world.machine),
    hostFull: null,
  });
  // A stall is told from what the tasks could do if the convoy itself were no obstacle.
  const asIfOpen = (task: Task): ReturnType<typeof facts> => {
    const seen = facts(task);
    return { ...seen, convoy: seen.convoy === null ? null : { ...seen.convoy, status: 'open' } };
  };
  const answers = new Map(
    tasks.map((task) => [task.id as string, readiness(task, graph, asIfOpen(task))]),
  );
  const next = outlook(convoy, tasks, answers, await pausedQueues(world, changes));
  switch (next.kind) {
    case 'moving':
      if (convoy.status === 'stalled') await move(world, convoy, { type: 'resume' });
      return;
    case 'stalled':
      await move(world, convoy, { type: 'stall', reason: next.reason });
      return;
    case 'empty':
      await move(world, convoy, { type: 'close', reason: 'it tracks no task' });
      return;
    default:
      await landConvoy(world, settings, convoy, tasks, changes);
  }
}

/** Tasks whose change stands in a queue that is paused, with the queue's reason. */
async function pausedQueues(
  world: World,
  changes: readonly Change[],
): Promise<Map<string, string>> {
  const paused = new Map(
    (await allQueues(world.ledger.db)).flatMap(({ id, paused: pause }) =>
      pause === null ? [] : [[id, pause.reason] as const],
    ),
  );
  return new Map(
    changes.flatMap((change) => {
      const reason =
        paused.get(queueId(change.repo, change.target)) ??
        paused.get(queueId(change.repo, EVERY_TARGET));
      return reason === undefined ? [] : [[change.task, reason] as const];
    }),
  );
}

/** When all the work is done, each repo lands by itself; the convoy has landed when all have. */
async function landConvoy(
  world: World,
  settings: Settings,
  convoy: Convoy,
  tasks: readonly Task[],
  changes: readonly Change[],
): Promise<void> {
  const names = [
    ...new Set(
      tasks.flatMap(({ repo, status }) =>
        status === 'merged' && repo !== null ? [repo as string] : [],
      ),
    ),
  ];
  let landed = 0;
  let nothing = 0;
  for (const name of names) {
    const repo = settings.repos[name];
    if (repo === undefined) return;
    const state = await landRepo(world, convoy, name, repo, changes);
    if (state === 'landed') landed += 1;
    else if (state === 'nothing') nothing += 1;
  }
  if (names.length > landed + nothing) return;
  if (landed === 0) await move(world, convoy, { type: 'close', reason: 'nothing to land' });
  else await move(world, convoy, { type: 'land' });
}

async function landRepo(
  world: World,
  convoy: Convoy,
  name: string,
  repo: RepoSettings,
  changes: readonly Change[],
): Promise<'landed' | 'nothing' | 'waiting'> {
  if (mergeModeOf(convoy, repo) === 'review-and-merge') return 'landed';
  const landing = changes
    .filter((change) => change.landing === true && change.repo === name)
    .at(-1);
  if (landing?.status === 'merged') return 'landed';
  if (landing !== undefined && !hasLeft(landing)) return 'waiting';
  if (landing !== undefined) {
    const reason = `the landing in ${name} is ${landing.status}`;
    await move(world, convoy, { type: 'stall', reason });
    return 'waiting';
  }
  const heads = await landingHeads(world, convoy, repo);
  if (heads === null) return 'waiting';
  if (heads.contained) return 'nothing';
  if (!convoy.options.owned)
    await enqueueLanding(world, convoy, name, heads.target, heads.head, heads.onto);
  return 'waiting';
}

type Heads = { target: string; head: string; onto: string; contained: boolean };

/** Where the integration branch and the target are; null when git cannot say. */
async function landingHeads(
  world: World,
  convoy: Convoy,
  repo: RepoSettings,
): Promise<Heads | null> {
  const repository = await repositoryOf(world, repo);
  const target = await landingTargetOf(world, repo);
  if (!repository.ok || target === null) return null;
  const { facts, merges } = repository.value;
  const [head, onto] = [await facts.head(integrationBranch(convoy)), await facts.head(target)];
  if (!head.ok || !onto.ok || head.value === null || onto.value === null) return null;
  const contained = await merges.alreadyContained(head.value, onto.value);
  if (!contained.ok) return null;
  return { target, head: head.value, onto: onto.value, contained: contained.value };
}

const hasLeft = ({ status }: Change): boolean =>
  status === 'red' || status === 'conflicted' || status === 'withdrawn';

/** The integration branch enters the target's queue like any other change. */
async function enqueueLanding(
  world: World,
  convoy: Convoy,
  repo: string,
  target: string,
  head: string,
  base: string,
): Promise<void> {
  const id = changeId(`ch-${convoy.id.slice(3)}-${repo}-${convoy.epoch}`);
  await world.ledger.write(ENGINE, async (tx) => {
    if ((await tx.load(changeAggregate, id)) !== null) return err('already there');
    const stored = await tx.load(convoyAggregate, convoy.id);
    const decision = stored === null ? null : decideConvoy(stored.state, { type: 'start-landing' });
    if (decision?.ok !== true) return err('moved on');
    await tx.record(changeAggregate, id, [
      {
        type: 'change-enqueued',
        at: tx.at,
        change: {
          id,
          task: taskId(convoy.id),
          attempt: attemptId('landing'),
          convoy: convoy.id,
          repo: repoName(repo),
          target,
          head,
          base,
          priority: 0,
          enqueuedAt: tx.at,
          movedTo: null,
          landing: true,
        },
      },
    ]);
    if (decision.value.length > 0) await tx.record(convoyAggregate, convoy.id, decision.value);
    return ok(null);
  });
}

async function move(world: World, convoy: Convoy, command: ConvoyCommand): Promise<void> {
  await world.ledger.write(ENGINE, async (tx) => {
    const stored = await tx.load(convoyAggregate, convoy.id);
    if (stored === null || hasEnded(stored.state.status)) return err('ended');
    const decision = decideConvoy(stored.state, command);
    if (!decision.ok || decision.value.length === 0) return err('nothing to do');
    await tx.record(convoyAggregate, convoy.id, decision.value);
    return ok(null);
  });
}
