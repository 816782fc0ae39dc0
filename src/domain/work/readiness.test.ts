import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { givenGraph } from '../graph/given-tasks.ts';
import { workGraph } from '../graph/work-graph.ts';
import { blockersOf } from './blockers.ts';
import { ORDERING_KINDS } from './dependency.ts';
import { givenTask } from '../graph/given-task.ts';
import { convoyId, repoName, taskId } from './ids.ts';
import { readiness } from './readiness.ts';
import type { ReadinessFacts } from './readiness-surroundings.ts';
import { TASK_STATUSES, TASK_TYPES, isDispatchable } from './task.ts';
import type { Task } from './task.ts';

type Given = Parameters<typeof givenGraph>[0];
const NOW = 1_000_000;
const repo = repoName('app');

const FREE: ReadinessFacts = {
  now: NOW,
  convoy: {
    id: convoyId('cv-1'),
    status: 'open',
    feeding: true,
    running: 0,
    maxParallel: null,
    budgetSpent: null,
  },
  repo: {
    name: repo,
    configured: true,
    parked: null,
    running: 0,
    capacity: null,
    gateBroken: null,
  },
  agent: { name: 'codex', available: true, why: null, running: 0, capacity: null },
  workspace: { running: 0, capacity: 4 },
  attempts: { budget: 3 },
  host: { full: null },
  unreadable: [],
};

function ask(given: Given, facts: Partial<ReadinessFacts> = {}, more: Partial<Task> = {}) {
  const graph = givenGraph(given);
  const task = givenTask({ ...graph.tasks.get(taskId('t'))!, repo }, more);
  const { state, reasons } = readiness(task, graph, { ...FREE, ...facts });
  return { state, reasons, codes: reasons.map((reason) => reason.code) };
}

const answer = (...asked: Parameters<typeof ask>) => {
  const { state, codes } = ask(...asked);
  return [state, ...codes];
};

test('a free task is ready and there is nothing to say', () => {
  expect(ask({ t: {} })).toEqual({ state: 'ready', reasons: [], codes: [] });
});

test('GT-91 GT-92 what each status means for a task that nothing else holds', () => {
  const table = TASK_STATUSES.map((status) => [status, ...answer({ t: { status } })].join(' '));
  expect(table).toEqual([
    'open ready',
    'in_progress active running',
    'submitted active submitted',
    'merged finished finished',
    'closed finished finished',
    'failed held attempts_spent',
    'skipped finished finished',
    'cancelled finished finished',
    'deferred held deferred_until',
    'pinned held pinned',
    'blocked held held_by_person',
  ]);
});

test('GT-91 what each kind of edge means for each status of the blocker', () => {
  const rows = TASK_STATUSES.map((status) =>
    [
      status,
      ...ORDERING_KINDS.map(
        (kind) => ask({ x: { status }, t: { after: [`${kind} x`] } }).codes[0] ?? 'ready',
      ),
    ].join(' '),
  );
  // Columns: blocks, conditional-blocks, waits-for, merge-blocks.
  expect(rows).toEqual([
    'open blocked_by_open condition_pending blocked_by_open blocked_by_open',
    'in_progress blocked_by_open condition_pending blocked_by_open blocked_by_open',
    'submitted blocked_by_submitted condition_pending blocked_by_open blocked_by_submitted',
    'merged ready condition_not_met ready ready',
    'closed ready condition_not_met ready blocked_by_open',
    'failed blocked_by_failure ready blocked_by_failure blocked_by_failure',
    'skipped ready condition_not_met ready ready',
    'cancelled blocked_by_cancelled blocked_by_cancelled blocked_by_cancelled blocked_by_cancelled',
    'deferred blocked_by_open condition_pending blocked_by_open blocked_by_open',
    'pinned blocked_by_open condition_pending blocked_by_open blocked_by_open',
    'blocked blocked_by_open condition_pending blocked_by_open blocked_by_open',
  ]);
});

test('GT-79 only dispatchable types are ever ready', () => {
  const ready = TASK_TYPES.filter((type) => ask({ t: { type } }).state === 'ready');
  expect(ready).toEqual(TASK_TYPES.filter(isDispatchable));
  expect(answer({ t: { type: 'epic' } })).toEqual(['waiting', 'not_dispatchable']);
  expect(answer({ t: { type: 'decision' } })).toEqual(['held', 'not_dispatchable']);
});

describe('time', () => {
  const deferred = { t: { status: 'deferred' } } as const;

  test('a deferred task waits for its date and is ready from then on', () => {
    expect(answer(deferred, {}, { until: NOW + 1 })).toEqual(['waiting', 'deferred_until']);
    expect(answer(deferred, {}, { until: NOW })).toEqual(['ready']);
  });

  test('a task backs off until its time has come', () => {
    expect(ask({ t: {} }, {}, { retryAt: NOW + 1 }).reasons).toEqual([
      {
        code: 'backing_off',
        message: 't is backing off until 1970-01-01T00:16:40.001Z.',
        ids: ['t'],
        held: false,
      },
    ]);
    expect(answer({ t: {} }, {}, { retryAt: NOW })).toEqual(['ready']);
  });

  test('attempts that are spent hold the task', () => {
    expect(answer({ t: {} }, {}, { attempts: 2 })).toEqual(['ready']);
    expect(answer({ t: {} }, {}, { attempts: 3 })).toEqual(['held', 'attempts_spent']);
  });
});

describe('blockers', () => {
  test('KG-37 a failed blocker holds until a person acts', () => {
    expect(ask({ x: { status: 'failed' }, t: { after: ['x'] } })).toMatchObject({
      state: 'held',
      reasons: [{ code: 'blocked_by_failure', ids: ['x'] }],
    });
  });

  test('KG-38 once it is retried its dependents wait again', () => {
    expect(answer({ x: {}, t: { after: ['x'] } })).toEqual(['waiting', 'blocked_by_open']);
  });

  test('a decision gates', () => {
    const given: Given = { d: { type: 'decision' }, t: { after: ['d'] } };
    expect(answer(given)).toEqual(['held', 'gated_by_decision']);
  });

  test('an inherited edge says through which epic', () => {
    const given: Given = {
      one: { type: 'epic' },
      two: { type: 'epic', after: ['one'] },
      t: { parent: 'two' },
    };
    expect(ask(given).reasons).toEqual([
      {
        code: 'epic_inherits',
        message: 'Inherited from two: Blocked by one (open), waits for merged.',
        ids: ['one', 'two'],
        held: false,
      },
    ]);
  });

  test('a blocker that nobody knows holds', () => {
    expect(answer({ t: { after: ['gone'] } })).toEqual(['held', 'blocker_unknown']);
  });

  test('a task that is missing from the graph is not ready', () => {
    const [task] = [...givenGraph({ t: {} }).tasks.values()];
    const found = readiness(givenTask({ ...task!, repo }), workGraph([]), FREE);
    expect(found.state).toBe('held');
  });

  test('GT-28 two kinds of edge to the same blocker are one reason', () => {
    expect(answer({ x: {}, t: { after: ['blocks x', 'merge-blocks x'] } })).toEqual([
      'waiting',
      'blocked_by_open',
    ]);
  });
});

describe('surroundings', () => {
  const convoy = FREE.convoy!;
  const app = FREE.repo!;
  const agent = FREE.agent!;

  test.each([
    ['no convoy', { convoy: null }, 'held', 'not_in_convoy'],
    ['GT-87 staged', { convoy: { ...convoy, status: 'staged_ready' } }, 'held', 'convoy_staged'],
    [
      'GT-87 staged with warnings',
      { convoy: { ...convoy, status: 'staged_warnings' } },
      'held',
      'convoy_staged',
    ],
    ['tracking', { convoy: { ...convoy, feeding: false } }, 'held', 'convoy_not_feeding'],
    ['paused', { convoy: { ...convoy, status: 'paused' } }, 'held', 'convoy_paused'],
    ['stalled', { convoy: { ...convoy, status: 'stalled' } }, 'held', 'convoy_stalled'],
    ['landed', { convoy: { ...convoy, status: 'landed' } }, 'held', 'convoy_finished'],
    ['cancelled', { convoy: { ...convoy, status: 'cancelled' } }, 'held', 'convoy_finished'],
    ['budget', { convoy: { ...convoy, budgetSpent: '5 of 5 USD' } }, 'held', 'budget_spent'],
    ['unknown repo', { repo: null }, 'held', 'repo_unknown'],
    ['removed repo', { repo: { ...app, configured: false } }, 'held', 'repo_unknown'],
    ['GT-86 parked repo', { repo: { ...app, parked: 'moving' } }, 'held', 'repo_parked'],
    ['broken gate', { repo: { ...app, gateBroken: 'npm test' } }, 'held', 'gate_broken'],
    ['no agent', { agent: null }, 'held', 'agent_not_available'],
    ['agent gone', { agent: { ...agent, available: false } }, 'held', 'agent_not_available'],
    ['paused agent', { agent: { ...agent, paused: 'it fails' } }, 'waiting', 'agent_paused'],
    ['full host', { host: { full: '1 GB left' } }, 'waiting', 'host_full'],
    ['GT-90 unread', { unreadable: ['the parked repos'] }, 'waiting', 'fact_unreadable'],
    ['full workspace', { workspace: { running: 4, capacity: 4 } }, 'waiting', 'no_capacity'],
    [
      'full convoy',
      { convoy: { ...convoy, running: 2, maxParallel: 2 } },
      'waiting',
      'no_capacity',
    ],
    ['full repo', { repo: { ...app, running: 1, capacity: 1 } }, 'waiting', 'no_capacity'],
    ['busy agent', { agent: { ...agent, running: 9, capacity: 8 } }, 'waiting', 'no_capacity'],
  ] as [string, Partial<ReadinessFacts>, string, string][])(
    '%s keeps a task from starting',
    (_, facts, state, code) => {
      expect(answer({ t: {} }, facts)).toEqual([state, code]);
    },
  );

  test('a task without a repo is held', () => {
    expect(answer({ t: {} }, {}, { repo: null })).toEqual(['held', 'no_repo']);
  });

  test('capacity says how much of what is busy', () => {
    expect(ask({ t: {} }, { repo: { ...app, running: 3, capacity: 3 } }).reasons[0]!.message).toBe(
      'No capacity in repo app: 3 of 3 busy.',
    );
  });
});

test('all reasons are gathered, what needs a person first', () => {
  const given: Given = {
    x: {},
    f: { status: 'failed' },
    t: { after: ['x', 'f'] },
  };
  const facts: Partial<ReadinessFacts> = {
    convoy: { ...FREE.convoy!, status: 'paused' },
    workspace: { running: 4, capacity: 4 },
  };
  expect(answer(given, facts)).toEqual([
    'held',
    'convoy_paused',
    'blocked_by_failure',
    'blocked_by_open',
    'no_capacity',
  ]);
});

const statuses = fc.constantFrom(...TASK_STATUSES);
const edges = fc.uniqueArray(
  fc.record({
    on: fc.constantFrom('x', 'y', 'd', 'gone'),
    kind: fc.constantFrom(...ORDERING_KINDS, 'related'),
    byParent: fc.boolean(),
  }),
  { maxLength: 4, selector: ({ on, kind, byParent }) => `${on} ${kind} ${byParent}` },
);
const worlds = fc.record({ t: statuses, x: statuses, y: statuses, d: statuses, edges });
type World = typeof worlds extends fc.Arbitrary<infer W> ? W : never;

const worldOf = ({ t, x, y, d, edges: given }: World): Given => {
  const after = (byParent: boolean) =>
    given.filter((edge) => edge.byParent === byParent).map(({ on, kind }) => `${kind} ${on}`);
  return {
    x: { status: x },
    y: { status: y },
    d: { type: 'decision', status: d },
    p: { type: 'epic', after: after(true) },
    t: { status: t, parent: 'p', after: after(false) },
  };
};

test('GT-81 a task is never ready while a blocker holds, and never without saying why', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const given = worldOf(world);
      const { state, reasons } = ask(given);
      const isFree = blockersOf(givenGraph(given), taskId('t')).every(
        (blocker) => blocker.state === 'satisfied',
      );
      expect(state === 'ready').toBe(isFree && world.t === 'open');
      expect(reasons.length === 0).toBe(state === 'ready');
    }),
  );
});

test('one more edge never makes a task ready', () => {
  fc.assert(
    fc.property(worlds, (world) => {
      const fewer = ask(worldOf({ ...world, edges: world.edges.slice(1) })).state;
      const more = ask(worldOf(world)).state;
      expect(more === 'ready' && fewer !== 'ready').toBe(false);
    }),
  );
});

const epicWith = (other: 'open' | 'merged'): Given => ({
  e: { type: 'epic' },
  a: { parent: 'e', status: 'failed' },
  b: { parent: 'e', status: other },
  t: { after: ['e'] },
});

describe('failure policy continue', () => {
  const goOn = { afterFailure: 'continue' } as const;

  test('a failed blocker holds by default and lets go when work goes on after failures', () => {
    const given: Given = { a: { status: 'failed' }, t: { after: ['a'] } };
    expect(answer(given)).toEqual(['held', 'blocked_by_failure']);
    expect(answer(given, goOn)).toEqual(['ready']);
  });

  test('what is not failed is still waited for, and what was cancelled still holds', () => {
    expect(answer({ a: {}, t: { after: ['a'] } }, goOn)).toEqual(['waiting', 'blocked_by_open']);
    expect(answer({ a: { status: 'cancelled' }, t: { after: ['a'] } }, goOn)).toEqual([
      'held',
      'blocked_by_cancelled',
    ]);
  });

  test('an epic with a failed child lets go when its other children are over', () => {
    expect(answer(epicWith('open'), goOn)).toEqual(['waiting', 'blocked_by_open']);
    expect(answer(epicWith('merged'), goOn)).toEqual(['ready']);
    expect(answer(epicWith('merged'))).not.toEqual(['ready']);
  });

  test('a task that runs only after a failure does not run because of the policy', () => {
    const given: Given = { a: {}, t: { after: ['conditional-blocks a'] } };
    expect(answer(given, goOn)).toEqual(answer(given));
  });
});

test('a clock that was set back makes no backoff longer', () => {
  const more = { status: 'open', retryAt: NOW + 5000, updatedAt: NOW } as const;
  expect(answer({ t: {} }, {}, more)).toEqual(['waiting', 'backing_off']);
  expect(answer({ t: {} }, { now: NOW - 60_000 }, more)).toEqual(['ready']);
});
