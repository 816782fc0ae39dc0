import type { Convoy } from '../../domain/convoy/convoy.ts';
import { decideConvoy } from '../../domain/convoy/decide.ts';
import { type Change, isInQueue } from '../../domain/merge/change.ts';
import { attemptId, changeId, repoName, taskId } from '../../domain/work/ids.ts';
import type { Task } from '../../domain/work/task.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { err, ok } from '../../lib/result.ts';
import type { RepoSettings, Settings } from '../../ports/settings.ts';
import { reviewLanding } from '../review/review-landing.ts';
import type { ReviewMemory } from '../review/run-reviewer.ts';
import { crashPoint } from '../crash-points.ts';
import { integrationBranch, landingTargetOf, mergeModeOf, repositoryOf } from '../targets.ts';
import { ENGINE, type World } from '../world.ts';
import { answerLeft } from './left-landing.ts';
import { moveConvoy } from './move-convoy.ts';
import { withdraw } from './withdraw.ts';

/** When all the work is done, each repo lands by itself; the convoy has landed when all have. */
export async function landConvoy(
  world: World,
  settings: Settings,
  convoy: Convoy,
  tasks: readonly Task[],
  changes: readonly Change[],
  stuck: ReadonlyMap<string, string>,
  reviews: ReviewMemory,
): Promise<void> {
  const names = [
    ...new Set(
      tasks.flatMap(({ repo, status }) =>
        status === 'merged' && repo !== null ? [repo as string] : [],
      ),
    ),
  ];
  const states: Landed[] = [];
  for (const name of names) {
    const repo = settings.repos[name];
    if (repo === undefined) return;
    const landings = changes.filter(
      (change) => change.landing === true && change.repo === name && !isOfEpic(change),
    );
    states.push(await landRepo({ world, convoy, name, repo, tasks, landings, stuck, reviews }));
  }
  crashPoint('convoy-settling');
  const reasons = states.flatMap((state) => (typeof state === 'string' ? [] : [state.stuck]));
  if (reasons.length > 0)
    return moveConvoy(world, convoy, { type: 'stall', reason: reasons.join('; ') });
  // A stall that is over ends first; the next look, which this very move calls for, goes on.
  if (convoy.status === 'stalled') return moveConvoy(world, convoy, { type: 'resume' });
  if (states.includes('waiting')) return;
  if (!states.includes('landed'))
    await moveConvoy(world, convoy, { type: 'close', reason: 'nothing to land' });
  else await moveConvoy(world, convoy, { type: 'land' });
}

const isOfEpic = (change: Change): boolean => change.task !== (change.convoy as string | null);

type Landed = 'landed' | 'nothing' | 'waiting' | { readonly stuck: string };

export type RepoLanding = {
  readonly world: World;
  readonly convoy: Convoy;
  readonly name: string;
  readonly repo: RepoSettings;
  readonly tasks: readonly Task[];
  readonly landings: readonly Change[];
  /** Why queues stand still, by the task or convoy that waits in them. */
  readonly stuck: ReadonlyMap<string, string>;
  readonly reviews: ReviewMemory;
};

async function landRepo(place: RepoLanding): Promise<Landed> {
  const { world, convoy, repo, landings } = place;
  if (mergeModeOf(convoy, repo) === 'review-and-merge') return 'landed';
  const heads = await landingHeads(world, convoy, repo);
  if (heads === null) return 'waiting';
  const last = landings.at(-1);
  // A landing speaks for the head it was made of; work that came later needs another one.
  const current = last?.head === heads.head ? last : undefined;
  if (current?.status === 'merged') return 'landed';
  if (current === undefined) await withdrawOutdated(world, last);
  // The target may have moved a moment before the queue records it: then it is not "nothing".
  if (heads.contained && !isQueued(current)) return landings.some(isMerged) ? 'landed' : 'nothing';
  const stuck = await moveOn(place, heads, current);
  return stuck === null ? 'waiting' : { stuck };
}

const isMerged = ({ status }: Change): boolean => status === 'merged';

const isQueued = (change: Change | undefined): boolean =>
  change !== undefined && isInQueue(change.status);

async function withdrawOutdated(world: World, last: Change | undefined): Promise<void> {
  if (last !== undefined && isQueued(last)) await withdraw(world, last, 'more work came after it');
}

/** Takes the next step towards the landing, or says why there is none. */
async function moveOn(
  place: RepoLanding,
  heads: Heads,
  current: Change | undefined,
): Promise<string | null> {
  const { world, convoy, name, landings } = place;
  if (current === undefined) return beginLanding(place, heads);
  if (isQueued(current)) return followQueue(place);
  return answerLeft({ world, convoy, name, landings, epic: null, title: convoy.title }, current);
}

/** The landing is in the queue: the convoy says so, or why the queue does not move. */
async function followQueue({ world, convoy, stuck }: RepoLanding): Promise<string | null> {
  const reason = stuck.get(convoy.id);
  if (reason !== undefined) return reason;
  if (convoy.status === 'open') await moveConvoy(world, convoy, { type: 'start-landing' });
  return null;
}

async function beginLanding(place: RepoLanding, heads: Heads): Promise<string | null> {
  const { convoy } = place;
  if (convoy.options.owned && convoy.landAsked !== true) return null;
  const verdict = await reviewLanding(place, heads, place.reviews);
  if (verdict.kind === 'stalled') return verdict.reason;
  // A stalled convoy goes on first, and lands with the next look.
  if (verdict.kind === 'passed' && convoy.status !== 'stalled') await enqueueLanding(place, heads);
  return null;
}

export type Heads = { target: string; head: string; onto: string; contained: boolean };

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

/** The integration branch enters the target's queue like any other change. */
async function enqueueLanding(
  { world, convoy, name, landings }: RepoLanding,
  { target, head, onto }: Heads,
): Promise<void> {
  const id = changeId(`ch-${convoy.id.slice(3)}-${name}-${convoy.epoch}-${landings.length}`);
  await world.ledger.write(ENGINE, async (tx) => {
    if ((await tx.load(changeAggregate, id)) !== null) return err('already there');
    const stored = await tx.load(convoyAggregate, convoy.id);
    const decision = stored === null ? null : decideConvoy(stored.state, { type: 'start-landing' });
    if (decision?.ok !== true) return err('moved on');
    const change = {
      id,
      task: taskId(convoy.id),
      attempt: attemptId('landing'),
      convoy: convoy.id,
      repo: repoName(name),
      target,
      head,
      base: onto,
      priority: 0,
      enqueuedAt: tx.at,
      movedTo: null,
      landing: true,
    } as const;
    await tx.record(changeAggregate, id, [{ type: 'change-enqueued', at: tx.at, change }]);
    if (decision.value.length > 0) await tx.record(convoyAggregate, convoy.id, decision.value);
    return ok(null);
  });
  crashPoint('landing-enqueued');
}
