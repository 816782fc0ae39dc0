import type { ConvoyOptions } from '../../src/domain/convoy/convoy.ts';
import type { Change } from '../../src/domain/merge/change.ts';
import { type Attempt, isLive } from '../../src/domain/work/attempt.ts';
import type { Task } from '../../src/domain/work/task.ts';
import { attemptAggregate } from '../../src/ledger/aggregates/attempt.ts';
import { changeAggregate } from '../../src/ledger/aggregates/change.ts';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import { eventsAfter, type SealedEvent } from '../../src/ledger/queries/events-after.ts';
import { TRUNK } from '../../src/simulator/memory-repository.ts';
import type { Files } from '../../src/simulator/object-store.ts';
import { isGreen, taskOf } from '../../src/simulator/plays.ts';
import { smellOf } from '../../src/simulator/reviewing.ts';
import type { Made } from './actions.ts';
import type { SimRig } from './rig.ts';

/** Replays every event as it comes and says what must never be. */
export type Watch = { look(): Promise<string[]> };

const DONE = new Set(['merged', 'closed', 'skipped']);

// oxlint-disable-next-line max-lines-per-function -- what it replays is shared by its questions
export function watch(rig: SimRig, made: Made): Watch {
  let seen = 0;
  const tasks = new Map<string, Task>();
  const attempts = new Map<string, Attempt>();
  const changes = new Map<string, Change>();
  /** Tasks whose convoy lets them run after a failure. */
  const goOn = new Map<string, boolean>();
  /** Convoys whose work an agent reviews, with how they are merged. */
  const reviewed = new Map<string, string>();
  /** What its reviewer would never have let through. */
  const smellsIn = ({ convoy, landing, merged: proof }: Merged, files: Files): string[] => {
    const mode = reviewed.get(convoy ?? '');
    const isReviewed = mode === 'review-and-merge' || (landing === true && proof.target === TRUNK);
    if (mode === undefined || !isReviewed || proof.unverified) return [];
    const own = [...changes.values()].filter((each) => each.convoy === convoy);
    return own.flatMap(({ task }) =>
      files.has(smellOf(task)) ? [`${task} was merged against the word of its reviewer`] : [],
    );
  };
  const remember = (id: string, { failurePolicy, review, mergeMode }: ConvoyOptions): void => {
    goOn.set(id, failurePolicy === 'continue');
    if (review === 'agent' || review === 'both') reviewed.set(id, mergeMode ?? '');
  };
  const replay = (event: SealedEvent): string[] => {
    const { subject, kind, data, at } = event;
    const [sort, id = ''] = subject.split('/');
    // oxlint-disable typescript/no-explicit-any, typescript/no-unsafe-assignment, typescript/no-unsafe-argument, typescript/no-unsafe-type-assertion -- events as the aggregates wrote them
    const one = { type: kind, ...(data as object) } as any;
    if (sort === 'task') tasks.set(id, taskAggregate.evolve(tasks.get(id) ?? null, one, at));
    if (sort === 'change')
      changes.set(id, changeAggregate.evolve(changes.get(id) ?? null, one, at));
    if (sort === 'attempt')
      attempts.set(id, attemptAggregate.evolve(attempts.get(id) ?? null, one, at));
    if (kind === 'convoy-created') remember(id, one.convoy.options);
    // oxlint-enable typescript/no-explicit-any, typescript/no-unsafe-assignment, typescript/no-unsafe-argument, typescript/no-unsafe-type-assertion
    if (kind === 'attempt-opened') return opened(id);
    if (kind === 'change-merged') return merged(id);
    return [];
  };
  const opened = (id: string): string[] => {
    const attempt = attempts.get(id);
    if (attempt === undefined) return [`${id} was opened and is unknown`];
    const live = [...attempts.values()].filter(
      ({ task, status }) => task === attempt.task && isLive(status),
    );
    const isLoose = goOn.get(attempt.convoy) ?? false;
    const early = waitsOf(tasks, attempt.task).filter((on) => {
      const status = tasks.get(on)?.status ?? '';
      return !DONE.has(status) && !(isLoose && (status === 'failed' || status === 'cancelled'));
    });
    return [
      ...(live.length > 1 ? [`${attempt.task} has ${live.length} live attempts`] : []),
      ...early.map((on) => `${attempt.task} began before ${on}`),
    ];
  };
  const merged = (id: string): string[] => {
    const change = changes.get(id);
    if (change?.status !== 'merged') return [`${id} was merged and is not`];
    const { merged: proof, target } = change;
    const { store, branches } = rig.repository;
    const commit = store.find(proof.commit);
    if (commit === null) return [`${id} was merged as a commit that git does not have`];
    const head = branches.get(target) ?? '';
    return [
      ...(store.history(head).has(commit.id) ? [] : [`${id} is merged and not in ${target}`]),
      ...(store.history(head).has(change.head) ? [] : [`the work of ${id} is not in ${target}`]),
      // What a person merged on a forge is theirs, and is said to be unverified.
      ...(isGreen(store.files(commit.tree)) || proof.unverified ? [] : [`${id} was merged red`]),
      ...smellsIn(change, store.files(commit.tree)),
      ...(commit.tree === proof.tree ? [] : [`${id} was merged without proof`]),
    ];
  };
  return {
    async look() {
      const problems: string[] = [];
      for (;;) {
        const page = await eventsAfter(rig.ledger.db, seen, { limit: 1000 });
        if (page.length === 0) break;
        for (const event of page) problems.push(...replay(event));
        seen = page.at(-1)?.seq ?? seen;
      }
      problems.push(...made.tasks.flatMap((id) => (tasks.has(id) ? [] : [`${id} is lost`])));
      return [...problems, ...twoProcesses(rig), ...redBranches(rig), ...toldTwice(rig)];
    },
  };
}

type Merged = Extract<Change, { status: 'merged' }>;

/** What a task waits for: by itself, and as a part of what it belongs to. */
function waitsOf(tasks: ReadonlyMap<string, Task>, id: string): string[] {
  const found: string[] = [];
  for (let task = tasks.get(id); task !== undefined; task = tasks.get(task.parent ?? ''))
    found.push(...task.dependencies.map(({ on }) => on as string));
  return found;
}

function twoProcesses({ executor }: SimRig): string[] {
  const running = executor.running().flatMap((each) => taskOf(each) ?? []);
  return running
    .filter((task, place) => running.indexOf(task) !== place)
    .map((task) => `two agents work on ${task}`);
}

/** What agents write on their own branches is theirs. */
function redBranches({ repository: { branches, store }, forge }: SimRig): string[] {
  // People may merge on a forge what no gate has seen, and everybody else goes on from there.
  if (forge.mergedByPeople() > 0) return [];
  return [...branches].flatMap(([name, head]) =>
    name.includes('/task/') || isGreen(store.files(store.find(head)?.tree ?? ''))
      ? []
      : [`${name} is red`],
  );
}

/** A webhook may get a message again and knows it by its id; a command must never run twice. */
function toldTwice({ told }: SimRig): string[] {
  const seen = new Map<string, string>();
  const problems: string[] = [];
  for (const { to, message } of told)
    for (const { id } of message.notifications) {
      const key = `${to} ${id}`;
      const before = seen.get(key);
      if (before !== undefined && (to === 'command' || before !== message.id))
        problems.push(`${id} was told twice to ${to}`);
      seen.set(key, message.id);
    }
  return problems;
}
