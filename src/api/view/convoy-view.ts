import type { Kysely } from 'kysely';
import type { ConvoyJson, ConvoyRowJson, ConvoyTaskJson } from '../../contract/schemas/convoy.ts';
import type { QueueEntryJson } from '../../contract/routes/queue.ts';
import type { Approval } from '../../domain/approval/approval.ts';
import { reviewSpending } from '../../domain/convoy/budget.ts';
import type { Convoy } from '../../domain/convoy/convoy.ts';
import { type Progress, progress } from '../../domain/convoy/progress.ts';
import { branchesOf } from '../../domain/convoy/slug.ts';
import { layers } from '../../domain/graph/waves.ts';
import type { WorkGraph } from '../../domain/graph/work-graph.ts';
import { blockersOf } from '../../domain/work/blockers.ts';
import type { Change } from '../../domain/merge/change.ts';
import type { Review } from '../../domain/review/review.ts';
import { type Attempt, isLive } from '../../domain/work/attempt.ts';
import type { TaskId } from '../../domain/work/ids.ts';
import type { Task } from '../../domain/work/task.ts';
import { convoyAttempts } from '../../ledger/queries/convoy-attempts.ts';
import { changesOfConvoy } from '../../ledger/queries/changes.ts';
import { approvalList } from '../../ledger/queries/approval-list.ts';
import { convoyMembers } from '../../ledger/queries/convoy-members.ts';
import { statusCounts } from '../../ledger/queries/convoy-list.ts';
import { graphAround } from '../../ledger/queries/graph-around.ts';
import { openQuestions } from '../../ledger/queries/open-questions.ts';
import { reviewsOf } from '../../ledger/queries/reviews.ts';
import { tasksById } from '../../ledger/queries/task-list.ts';
import type { Tables } from '../../ledger/tables.ts';
import { asksView } from './asks-view.ts';
import { entryViews } from './queue-view.ts';
import { approvalView } from './approval-view.ts';
import { misdeedsView } from './misdeeds-view.ts';
import { pullsOf } from './pull-view.ts';
import { remotesOf } from './remote-view.ts';
import { outcomeOf } from './task-view.ts';

type Db = Kysely<Tables>;

const MOST_APPROVALS = 100;

/** What a convoy is made of, read once. */
export type Seen = {
  readonly members: readonly TaskId[];
  readonly tasks: readonly Task[];
  readonly graph: WorkGraph;
  readonly changes: readonly Change[];
  readonly attempts: readonly Attempt[];
  /** What its agents wait to hear from a person. */
  readonly questions: readonly Approval[];
  /** What was asked about the convoy itself, decided or not. */
  readonly asked: readonly Approval[];
};

/** What only somebody who looks is told. */
type Beside = {
  readonly ahead?: ConvoyJson['conflicts_ahead'];
  readonly eta?: (seen: Seen) => Promise<string | null>;
};

/** A convoy with every task, as the outside sees it. */
export async function convoyView(
  db: Db,
  convoy: Convoy,
  { ahead = [], eta = async () => null }: Beside = {},
): Promise<ConvoyJson> {
  const seen = await look(db, convoy);
  const { options } = convoy;
  const reviews = await reviewsOf(db, convoy.id);
  return {
    ...convoyRowView(convoy, progress(seen.tasks)),
    owner: options.owner,
    owned: options.owned,
    notify: [...options.notify],
    watchers: [...convoy.watchers],
    merge_mode: options.mergeMode ?? 'review-then-land',
    base_branches: options.baseBranches,
    integration_branch: branchesOf(convoy).head,
    branch_pending: convoy.branchPending?.reason ?? null,
    remotes: await remotesOf(db, convoy),
    max_parallel: options.maxParallel,
    budget: options.budget,
    failure_policy: options.failurePolicy,
    auto_ship: options.autoShip,
    labels: [...options.labels],
    reason: convoy.reason,
    tasks: await taskRows(db, seen),
    landed_at:
      convoy.status === 'landed' && convoy.endedAt !== null
        ? new Date(convoy.endedAt).toISOString()
        : null,
    review: reviews.map(reviewView),
    conflicts_ahead: [...ahead],
    approvals: [...seen.asked, ...seen.questions].map(approvalView),
    landings: landingsOf(convoy, seen.changes),
    pull_requests: pullsOf(seen.changes),
    cost: costOf(seen.attempts, reviews),
    spending: spendingOf(convoy),
    eta: await eta(seen),
  };
}

async function look(db: Db, { id }: Convoy): Promise<Seen> {
  const members = await convoyMembers(db, id);
  const tasks = await tasksById(db, members);
  const attempts = await convoyAttempts(db, id);
  const live = attempts.filter(({ status }) => isLive(status));
  return {
    members,
    tasks,
    graph: await graphAround(db, tasks),
    changes: await changesOfConvoy(db, id),
    attempts,
    questions: await openQuestions(
      db,
      live.map((attempt) => attempt.id),
    ),
    asked: await approvalList(db, { subject: id, limit: MOST_APPROVALS }),
  };
}

/** Its tasks, those of the first wave first. */
async function taskRows(db: Db, seen: Seen): Promise<ConvoyTaskJson[]> {
  const { members, graph, questions } = seen;
  const wave = layers(graph, new Set(members));
  const byId = new Map(seen.tasks.map((task) => [task.id, task]));
  const entries = await entryViews(db, seen.changes, 0);
  const queued = new Map(entries.map((entry) => [entry.task, entry]));
  const tried = Map.groupBy(seen.attempts, ({ task }) => task);
  const rows = members.flatMap((id) => {
    const task = byId.get(id);
    if (task === undefined) return [];
    const own = tried.get(id) ?? [];
    return {
      ...convoyTaskView(task, graph, wave.get(id) ?? null, queued.get(id)),
      asks: questions
        .filter(({ subject }) => own.some((attempt) => attempt.id === subject))
        .map(asksView),
      misdeeds: misdeedsView(own),
    };
  });
  return rows.toSorted((a, b) => (a.wave ?? Infinity) - (b.wave ?? Infinity));
}

/** Where the work came to rest, repo by repo; in review-and-merge the last change of each says it. */
function landingsOf(convoy: Convoy, changes: readonly Change[]): ConvoyJson['landings'] {
  const merged = changes.filter((change) => change.status === 'merged');
  const whole = merged.filter(({ landing }) => landing === true);
  const shown = whole.length > 0 || convoy.status !== 'landed' ? whole : merged;
  const last = new Map(shown.map((change) => [change.repo, change]));
  return [...last.values()].map(({ repo, merged: { target, commit, proof } }) => ({
    repo,
    target,
    commit,
    proof,
  }));
}

const spendingOf = ({ spending }: Convoy): ConvoyJson['spending'] =>
  spending === undefined || spending === null
    ? null
    : { level: spending.level, words: spending.words };

const reviewView = (review: Review): ConvoyJson['review'][number] => ({
  id: review.id,
  repo: review.repo,
  change: review.change,
  tree: review.tree,
  status: review.status,
  by: review.by ?? null,
  tries: review.tries,
  findings: [...review.findings],
  reason: review.reason,
  usd: review.usd ?? 0,
  tokens: review.tokens ?? 0,
});

function costOf(attempts: readonly Attempt[], reviews: readonly Review[]): ConvoyJson['cost'] {
  const sum = (of: (attempt: Attempt) => number): number =>
    attempts.reduce((total, attempt) => total + of(attempt), 0);
  const reviewed = reviewSpending(reviews);
  return {
    usd: sum(({ cost }) => cost.usd) + reviewed.usd,
    tokens: sum(({ cost }) => cost.tokens) + reviewed.tokens,
    minutes: Math.round((sum(spent) + reviewed.minutes) * 100) / 100,
  };
}

const MINUTE = 60_000;

const spent = ({ startedAt, endedAt }: Attempt): number =>
  startedAt === null || endedAt === null ? 0 : (endedAt - startedAt) / MINUTE;

function convoyTaskView(
  task: Task,
  graph: WorkGraph,
  wave: number | null,
  change: QueueEntryJson | undefined,
): Omit<ConvoyTaskJson, 'asks' | 'misdeeds'> {
  const blockers = blockersOf(graph, task.id).filter(
    ({ state }) => state !== 'satisfied' && state !== 'skip',
  );
  return {
    id: task.id,
    title: task.title,
    type: task.type,
    repo: task.repo,
    status: task.status,
    wave,
    blocked_by: [...new Set(blockers.map(({ on }) => on))],
    attempts: task.attempts,
    worker: task.status === 'in_progress' ? task.attempt : null,
    merged_commit: task.status === 'merged' ? task.merged.commit : null,
    unverified: task.status === 'merged' && task.merged.unverified,
    last_error: task.status === 'open' || task.status === 'failed' ? outcomeOf(task) : null,
    queue:
      task.status === 'submitted' && change !== undefined
        ? { change: change.id, state: change.state, position: change.position }
        : null,
  };
}

export const convoyRowView = (convoy: Convoy, counted: Progress): ConvoyRowJson => ({
  id: convoy.id,
  title: convoy.title,
  status: convoy.status,
  feeding: convoy.feeding,
  progress: counted,
  created_at: new Date(convoy.createdAt).toISOString(),
});

/** Convoys with their progress, counted in the database: one question for any number of them. */
export async function convoyRows(db: Db, convoys: readonly Convoy[]): Promise<ConvoyRowJson[]> {
  const counts = await statusCounts(
    db,
    convoys.map(({ id }) => id),
  );
  const byConvoy = Map.groupBy(counts, ({ convoy }) => convoy);
  return convoys.map((convoy) =>
    convoyRowView(convoy, progress(expand(byConvoy.get(convoy.id) ?? []))),
  );
}

function* expand(
  counts: readonly { status: string; type: string; count: number }[],
): Generator<Pick<Task, 'status' | 'type'>> {
  for (const { status, type, count } of counts)
    for (let each = 0; each < count; each++)
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the task aggregate writes these columns
      yield { status, type } as Pick<Task, 'status' | 'type'>;
}
