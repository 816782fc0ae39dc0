import type { Convoy } from '../../domain/convoy/convoy.ts';
import { type Change, isInQueue } from '../../domain/merge/change.ts';
import { attemptId, changeId, repoName } from '../../domain/work/ids.ts';
import { isDispatchable, isDone, type Task } from '../../domain/work/task.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { err, ok } from '../../lib/result.ts';
import type { RepoSettings, Settings } from '../../ports/settings.ts';
import { mergeModeOf, repositoryOf } from '../targets.ts';
import { ENGINE, type World } from '../world.ts';
import { branchesAbove, type Collecting } from './epic-branches.ts';
import { answerLeft, type Left } from './left-landing.ts';

/** Work on a sub-epic's branch that is not yet in the branch above it. */
export type EpicLandings = {
  readonly unlanded: boolean;
  readonly queued: boolean;
  /** Why a person is needed. */
  readonly stuck: readonly string[];
};

type Branch = { readonly into: Collecting; readonly from: Collecting; readonly tasks: Task[] };

/** Lands each sub-epic with a branch of its own into the branch above it, once its tasks are done. */
export async function landEpics(
  world: World,
  settings: Settings,
  convoy: Convoy,
  tasks: readonly Task[],
  changes: readonly Change[],
): Promise<EpicLandings> {
  let [unlanded, queued] = [false, false];
  const stuck: string[] = [];
  for (const branch of await epicBranches(world, convoy, tasks))
    for (const name of new Set(branch.tasks.flatMap(({ repo }) => (repo as string | null) ?? []))) {
      const repo = settings.repos[name];
      if (repo === undefined || mergeModeOf(convoy, repo) === 'review-and-merge') continue;
      const state = await landEpic(world, convoy, name, repo, branch, changes);
      unlanded ||= state !== 'landed';
      queued ||= state === 'queued';
      if (typeof state === 'object') stuck.push(state.stuck);
    }
  return { unlanded, queued, stuck };
}

async function epicBranches(
  world: World,
  convoy: Convoy,
  tasks: readonly Task[],
): Promise<Branch[]> {
  const found = new Map<string, Branch>();
  for (const task of tasks) {
    const above = await branchesAbove(world.ledger.db, convoy, task);
    for (const [place, from] of above.entries()) {
      const into = above[place - 1];
      if (into === undefined) continue;
      const known = found.get(from.branch);
      if (known === undefined) found.set(from.branch, { into, from, tasks: [task] });
      else known.tasks.push(task);
    }
  }
  return [...found.values()];
}

const isLeft = ({ status }: Task): boolean => status === 'skipped' || status === 'cancelled';

async function landEpic(
  world: World,
  convoy: Convoy,
  name: string,
  repo: RepoSettings,
  { into, from, tasks }: Branch,
  changes: readonly Change[],
): Promise<'landed' | 'open' | 'queued' | { readonly stuck: string }> {
  const { epic } = from;
  const heads = await headsOf(world, repo, from.branch, into.branch);
  if (epic === null || heads === 'unknown') return 'open';
  const mine = tasks.filter((task) => isDispatchable(task.type) && !isLeft(task));
  const isOver = mine.every(({ status }) => isDone(status));
  if (heads === 'contained') return isOver ? 'landed' : 'open';
  const landings = changes.filter(
    (change) => change.landing === true && change.task === epic.id && change.repo === name,
  );
  const last = landings.at(-1);
  if (last !== undefined && isInQueue(last.status)) return 'queued';
  if (!isOver) return 'open';
  const left: Left = { world, convoy, name, landings, epic, title: epic.title };
  if (last?.head === heads.head) {
    const reason = await answerLeft(left, last);
    return reason === null ? 'open' : { stuck: reason };
  }
  await enqueue(left, into.branch, heads);
  return 'queued';
}

type Heads = { readonly head: string; readonly onto: string };

async function headsOf(
  world: World,
  repo: RepoSettings,
  from: string,
  into: string,
): Promise<Heads | 'contained' | 'unknown'> {
  const repository = await repositoryOf(world, repo);
  if (!repository.ok) return 'unknown';
  const { facts, merges } = repository.value;
  const [head, onto] = [await facts.head(from), await facts.head(into)];
  if (!head.ok || !onto.ok) return 'unknown';
  // No branch, nothing was ever merged into it.
  if (head.value === null || onto.value === null) return 'contained';
  const contained = await merges.alreadyContained(head.value, onto.value);
  if (!contained.ok) return 'unknown';
  return contained.value ? 'contained' : { head: head.value, onto: onto.value };
}

async function enqueue(
  { world, convoy, name, landings, epic }: Left,
  target: string,
  { head, onto }: Heads,
): Promise<void> {
  if (epic === null) return;
  // Another convoy may have landed other work of the same sub-epic.
  const id = changeId(
    `ch-${convoy.id.slice('cv-'.length)}-${epic.id}-${name}-${landings.length + 1}`,
  );
  await world.ledger.write(ENGINE, async (tx) => {
    if ((await tx.load(changeAggregate, id)) !== null) return err('already there');
    const change = {
      id,
      task: epic.id,
      attempt: attemptId('landing'),
      convoy: convoy.id,
      repo: repoName(name),
      target,
      head,
      base: onto,
      priority: epic.priority,
      enqueuedAt: tx.at,
      movedTo: null,
      landing: true,
    } as const;
    await tx.record(changeAggregate, id, [{ type: 'change-enqueued', at: tx.at, change }]);
    return ok(null);
  });
}
