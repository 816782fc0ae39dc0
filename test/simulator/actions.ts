import * as fc from 'fast-check';
import {
  addToConvoy,
  cancelConvoy,
  createConvoy,
  pauseConvoy,
  removeFromConvoy,
  resumeConvoy,
} from '../../src/contract/routes/convoys.ts';
import { approve, listApprovals, reject } from '../../src/contract/routes/approvals.ts';
import { pauseQueue, rejectChange, resumeQueue } from '../../src/contract/routes/queue.ts';
import {
  addDependency,
  createTask,
  reopenTask,
  retryTask,
  skipTask,
} from '../../src/contract/routes/tasks.ts';
import { CRASH_POINTS, type CrashPoint } from '../../src/engine/crash-points.ts';
import { TRUNK } from '../../src/simulator/memory-repository.ts';
import { type Play, PLAYS, titleOf } from '../../src/simulator/plays.ts';
import type { SimRig } from './rig.ts';

/** What people, machines and bad luck do to a workspace. Numbers choose among what there is. */
export type Action =
  | {
      readonly do: 'create';
      readonly plays: readonly Play[];
      readonly after: readonly number[];
      /** The epic it is a part of. */
      readonly under?: number | null;
    }
  | {
      readonly do: 'epic';
      readonly own: boolean;
      readonly after: readonly number[];
      readonly under: number | null;
    }
  | {
      readonly do: 'launch';
      readonly direct: boolean;
      readonly goOn: boolean;
      readonly most: number | null;
      readonly review?: Review;
    }
  | { readonly do: 'pass'; readonly seconds: number }
  | { readonly do: 'pause' | 'resume' | 'cancel'; readonly convoy: number }
  | { readonly do: 'add' | 'remove'; readonly convoy: number; readonly task: number }
  | { readonly do: 'retry' | 'skip' | 'reopen' | 'reject'; readonly task: number }
  | { readonly do: 'crash' | 'start' | 'push' | 'pause-queues' | 'resume-queues' }
  | { readonly do: 'news' }
  | { readonly do: 'use-pulls'; readonly policy: 'approved' | 'green' | 'never' }
  | { readonly do: 'say'; readonly yes: boolean; readonly approval: number }
  | { readonly do: 'merge-pull' | 'close-pull'; readonly pull: number }
  | { readonly do: 'origin'; readonly up: boolean }
  | { readonly do: 'crash-at'; readonly point: CrashPoint; readonly nth: number }
  | { readonly do: 'stop'; readonly agents: boolean }
  | { readonly do: 'overtake'; readonly seconds: number }
  | { readonly do: 'gate'; readonly mode: 'fine' | 'broken' | 'flapping' }
  | { readonly do: 'clock'; readonly minutes: number };

const REVIEWS = ['none', 'agent', 'human', 'both'] as const;
type Review = (typeof REVIEWS)[number];

/** What was made so far. */
export type Made = {
  readonly tasks: string[];
  readonly epics: string[];
  readonly free: string[];
  readonly convoys: string[];
};

export const nothingMade = (): Made => ({ tasks: [], epics: [], free: [], convoys: [] });

const n = fc.nat({ max: 7 });
const maybe = fc.option(n, { nil: null });
const create = fc.record({
  do: fc.constant('create' as const),
  plays: fc.array(fc.constantFrom(...PLAYS), { maxLength: 3 }),
  after: fc.array(n, { maxLength: 2 }),
  under: maybe,
});
const epic = fc.record({
  do: fc.constant('epic' as const),
  own: fc.boolean(),
  after: fc.array(n, { maxLength: 1 }),
  under: maybe,
});
const launch = fc.record({
  do: fc.constant('launch' as const),
  direct: fc.boolean(),
  goOn: fc.boolean(),
  most: fc.option(fc.integer({ min: 1, max: 2 }), { nil: null }),
  review: fc.constantFrom('none', 'none', ...REVIEWS),
});

const anyAction: fc.Arbitrary<Action> = fc.oneof(
  { weight: 3, arbitrary: create },
  { weight: 1, arbitrary: epic },
  { weight: 2, arbitrary: launch },
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant('say' as const), yes: fc.boolean(), approval: n }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('merge-pull', 'close-pull'), pull: n }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('origin' as const), up: fc.boolean() }) },
  { weight: 1, arbitrary: fc.constant({ do: 'news' as const }) },
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('pass' as const),
      seconds: fc.oneof(
        fc.integer({ min: 0, max: 60 }),
        fc.integer({ min: 60, max: 300 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('pause', 'resume', 'cancel'), convoy: n }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constantFrom('add', 'remove'), convoy: n, task: n }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('retry', 'skip', 'reopen', 'reject'),
      task: n,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom('crash', 'start', 'start', 'push', 'pause-queues', 'resume-queues'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('crash-at' as const),
      point: fc.constantFrom(...CRASH_POINTS),
      nth: fc.integer({ min: 1, max: 3 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('stop' as const), agents: fc.boolean() }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('overtake' as const),
      seconds: fc.integer({ min: 0, max: 60 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('gate' as const),
      mode: fc.constantFrom('fine', 'broken', 'flapping'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('clock' as const),
      minutes: fc.integer({ min: -90, max: 90 }),
    }),
  },
);

/** Several tasks in a convoy and an engine, so that most stories are about something. */
export const story: fc.Arbitrary<readonly Action[]> = fc
  .tuple(
    fc.constantFrom<Action[][]>(
      [],
      [],
      [],
      [{ do: 'use-pulls', policy: 'green' }],
      [{ do: 'use-pulls', policy: 'approved' }],
      [{ do: 'use-pulls', policy: 'never' }],
    ),
    fc.array(epic, { maxLength: 2, size: 'max' }),
    fc.array(create, { minLength: 1, maxLength: 5, size: 'max' }),
    launch,
    fc.array(anyAction, { maxLength: 25, size: 'max' }),
  )
  .map(([way, epics, tasks, first, rest]) => [
    ...way,
    ...epics,
    ...tasks,
    first,
    { do: 'start' as const },
    ...rest,
  ]);

const pick = (from: readonly string[], at: number): string | undefined => from[at % from.length];

/** Does it. A refusal is an answer: nobody promised that every command fits. */
// oxlint-disable-next-line complexity, max-lines-per-function -- one case per kind of action
export async function act(rig: SimRig, made: Made, action: Action): Promise<void> {
  switch (action.do) {
    case 'create':
      return create_(rig, made, action);
    case 'epic':
      return epic_(rig, made, action);
    case 'launch':
      return launch_(rig, made, action);
    case 'pass':
      return rig.time.pass(action.seconds * 1000);
    case 'pause':
    case 'resume':
    case 'cancel': {
      const id = pick(made.convoys, action.convoy);
      const route = { pause: pauseConvoy, resume: resumeConvoy, cancel: cancelConvoy }[action.do];
      if (id !== undefined) await rig.ask(route, { params: { id }, body: {} });
      return;
    }
    case 'add':
    case 'remove': {
      const id = pick(made.convoys, action.convoy);
      const task = pick(made.tasks, action.task);
      if (id === undefined || task === undefined) return;
      const call = { params: { id }, body: { tasks: [task] } };
      if (action.do === 'remove') return void (await rig.ask(removeFromConvoy, call));
      const added = await rig.ask(addToConvoy, call);
      const place = made.free.indexOf(task);
      if (added.ok && place !== -1) made.free.splice(place, 1);
      return;
    }
    case 'retry':
    case 'skip':
    case 'reopen':
    case 'reject': {
      const id = pick(made.tasks, action.task);
      const route = {
        retry: retryTask,
        skip: skipTask,
        reopen: reopenTask,
        reject: rejectChange,
      }[action.do];
      if (id !== undefined) await rig.ask(route, { params: { id }, body: {} });
      return;
    }
    case 'crash':
      return rig.crash();
    case 'crash-at':
      return rig.crashAt(action.point, action.nth);
    case 'start':
      return rig.start();
    case 'stop':
      return rig.stop({ agents: action.agents });
    case 'overtake': {
      const thaw = rig.freeze();
      await rig.start();
      await rig.time.pass(action.seconds * 1000);
      thaw();
      return;
    }
    case 'gate':
      rig.gate = action.mode;
      return;
    case 'push':
      return push(rig);
    case 'pause-queues':
      return void (await rig.ask(pauseQueue, { body: {} }));
    case 'resume-queues':
      return void (await rig.ask(resumeQueue, { body: {} }));
    case 'use-pulls':
      return rig.deliverByPulls(action.policy);
    case 'news':
      return rig.news();
    case 'say':
      return say(rig, action);
    case 'merge-pull':
    case 'close-pull': {
      const open = rig.forge.open();
      const number = open[action.pull % open.length];
      if (number === undefined) return;
      if (action.do === 'merge-pull') rig.forge.mergeByHand(number);
      else rig.forge.closeByHand(number);
      return;
    }
    case 'origin':
      rig.origin.isUp = action.up;
      return;
    case 'clock':
      return rig.time.jump(action.minutes * 60_000);
    default:
      throw new Error(`nobody knows how to do ${JSON.stringify(action)}`);
  }
}

async function create_(
  rig: SimRig,
  made: Made,
  { plays, after, under = null }: Extract<Action, { do: 'create' }>,
): Promise<void> {
  const title = titleOf(`T${made.tasks.length}`, plays);
  const parent = under === null ? undefined : pick(made.epics, under);
  const { task } = await rig.call(createTask, { body: { title, repo: 'main', parent } });
  // Refused where it would go round in circles by way of an epic.
  for (const on of new Set(after.flatMap((at) => pick(made.tasks, at) ?? [])))
    await rig.ask(addDependency, { params: { id: task.id }, body: { on } });
  made.tasks.push(task.id);
  made.free.push(task.id);
}

/** Work that is grouped, on a branch of its own or not, after other groups or not. */
async function epic_(
  rig: SimRig,
  made: Made,
  { own, after, under }: Extract<Action, { do: 'epic' }>,
): Promise<void> {
  const title = `E${made.epics.length}`;
  const parent = under === null ? undefined : pick(made.epics, under);
  const body = { title, type: 'epic', own_branch: own, parent } as const;
  const created = await rig.ask(createTask, { body });
  // Refused when it would lie too deep.
  if (!created.ok) return;
  const { id } = created.value.task;
  for (const on of after.flatMap((at) => pick(made.epics, at) ?? []))
    await rig.ask(addDependency, { params: { id }, body: { on } });
  made.epics.push(id);
}

/** A person answers one of the questions that wait. */
async function say(rig: SimRig, { yes, approval }: Extract<Action, { do: 'say' }>): Promise<void> {
  const { approvals } = await rig.call(listApprovals, { query: {} });
  const asked = approvals[approval % approvals.length];
  if (asked === undefined) return;
  await rig.ask(yes ? approve : reject, { params: { id: asked.id }, body: {} });
}

async function launch_(
  rig: SimRig,
  made: Made,
  { direct, goOn, most, review = 'none' }: Extract<Action, { do: 'launch' }>,
): Promise<void> {
  if (made.free.length === 0) return;
  const launched = await rig.ask(createConvoy, {
    body: {
      title: `C${made.convoys.length}`,
      tasks: made.free,
      launch: true,
      merge_mode: direct ? 'review-and-merge' : 'review-then-land',
      failure_policy: goOn ? 'continue' : 'hold',
      max_parallel: most,
      review,
    },
  });
  if (!launched.ok) return;
  made.convoys.push(launched.value.convoy.id);
  made.free.splice(0);
}

/** Somebody else's work arrives on the target. */
async function push({ repository, origin, time }: SimRig): Promise<void> {
  const { store } = repository;
  // Others work where everybody's copy is, if there is such a place.
  const { branches } = origin.branches.has(TRUNK) ? origin : repository;
  const head = branches.get(TRUNK) ?? '';
  const files = new Map(store.files(store.find(head)?.tree ?? ''));
  files.set(`other/${time.monotonic()}`, 'theirs');
  branches.set(TRUNK, store.commit(files, [head], 'theirs', time.now()));
}
