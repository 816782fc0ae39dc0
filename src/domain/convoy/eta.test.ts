import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { everyTask, givenGraph } from '../graph/given-tasks.ts';
import { remainingPath } from '../graph/critical-path.ts';
import { repoName, taskId } from '../work/ids.ts';
import { type EtaFacts, timeLeft } from './eta.ts';

type Given = Parameters<typeof givenGraph>[0];

const WEB = { repo: repoName('web') };
const PACE = new Map([['web', { attemptMs: 100, verificationMs: 10 }]]);

function facts(tasks: Given, more: Partial<EtaFacts> = {}): EtaFacts {
  const graph = givenGraph(tasks);
  return {
    graph,
    members: everyTask(graph),
    pace: PACE,
    slots: 4,
    worked: new Map(),
    waits: new Map(),
    landsWhole: false,
    ...more,
  };
}

const left = (tasks: Given, more: Partial<EtaFacts> = {}): number | null =>
  timeLeft(facts(tasks, more));

test('a chain takes as long as its attempts and gate runs one after the other', () => {
  expect(left({ a: WEB, b: { ...WEB, after: ['a'] }, c: { ...WEB, after: ['b'] } })).toBe(330);
});

test('work without order is shared among those who may work at once', () => {
  const tasks = Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`t${n}`, WEB]));
  expect(left(tasks, { slots: 2 })).toBe(400);
  expect(left(tasks, { slots: 100 })).toBe(110);
});

test('what is under way takes what is left of it, and what is submitted its gates', () => {
  const worked = new Map([[taskId('a'), 70]]);
  expect(left({ a: { ...WEB, status: 'in_progress' } }, { worked })).toBe(40);
  // Longer than it mostly takes: it may end at any moment.
  worked.set(taskId('a'), 7000);
  expect(left({ a: { ...WEB, status: 'in_progress' } }, { worked })).toBe(10);
  expect(left({ a: { ...WEB, status: 'submitted' } })).toBe(10);
});

test('what is deferred begins later, and a landing of the whole has its gates too', () => {
  const waits = new Map([[taskId('a'), 1000]]);
  expect(left({ a: { ...WEB, status: 'deferred' } }, { waits })).toBe(1110);
  expect(left({ a: { ...WEB, status: 'merged' } }, { landsWhole: true })).toBe(10);
  expect(left({ a: { ...WEB, status: 'merged' } })).toBe(0);
});

test.each<[string, Given]>([
  ['nothing was measured in its repo', { a: { repo: repoName('api') } }],
  ['a task failed', { a: { ...WEB, status: 'failed' }, b: WEB }],
  ['a person holds a task', { a: { ...WEB, status: 'blocked' } }],
  ['a task is deferred without a date', { a: { ...WEB, status: 'deferred' } }],
  ['a decision is open', { d: { type: 'decision' }, a: { ...WEB, after: ['d'] } }],
])('null when %s', (_, tasks) => expect(left(tasks)).toBeNull());

test('null when it waits for work of somebody else', () => {
  const tasks = { x: WEB, a: { ...WEB, after: ['x'] } };
  expect(left(tasks, { members: new Set([taskId('a')]) })).toBeNull();
  expect(left({ ...tasks, x: { ...WEB, status: 'merged' } })).toBe(110);
});

const REPOS = ['web', 'api'];
/** States that no person has to act on. */
const MOVES = [
  'open',
  'in_progress',
  'submitted',
  'merged',
  'closed',
  'skipped',
  'deferred',
] as const;
const anyTask = fc.record({
  status: fc.constantFrom(...MOVES),
  repo: fc.constantFrom(...REPOS.map(repoName)),
  after: fc.array(fc.nat(), { maxLength: 3 }),
});
const anyMs = fc.integer({ min: 0, max: 10_000_000 });
const anyPace = fc
  .array(fc.record({ attemptMs: anyMs, verificationMs: anyMs }), { minLength: 2, maxLength: 2 })
  .map((paces) => new Map(REPOS.map((repo, n) => [repo, paces[n]!])));
const anyPlan = fc.record({
  tasks: fc.array(anyTask, { minLength: 1, maxLength: 12 }),
  pace: anyPace,
  slots: fc.integer({ min: 1, max: 8 }),
  worked: fc.integer({ min: -1000, max: 20_000_000 }),
  landsWhole: fc.boolean(),
});
type Plan = typeof anyPlan extends fc.Arbitrary<infer P> ? P : never;

/** Each task waits for some of those before it, so that there is no cycle. */
const factsOf = ({ tasks, worked, ...rest }: Plan): EtaFacts => {
  const given: Given = Object.fromEntries(
    tasks.map(({ status, repo, after }, n) => [
      `t${n}`,
      { status, repo, after: n === 0 ? [] : [...new Set(after.map((on) => `t${on % n}`))] },
    ]),
  );
  const times = new Map(tasks.map((_, n) => [taskId(`t${n}`), worked] as const));
  return facts(given, { ...rest, worked: times, waits: new Map(times) });
};

test('it is never negative and never less than the longest chain of medians that is left', () => {
  fc.assert(
    fc.property(anyPlan, (plan) => {
      const asked = factsOf(plan);
      const ms = timeLeft(asked) ?? -1;
      const chains = remainingPath(asked.graph, asked.members, ({ status, repo }) => {
        const pace = asked.pace.get(repo ?? '');
        const rest = Math.max(0, (pace?.attemptMs ?? 0) - Math.max(0, plan.worked));
        const agent = { submitted: 0, in_progress: rest }[status as string] ?? pace?.attemptMs ?? 0;
        return agent + (pace?.verificationMs ?? 0);
      });
      expect(ms).toBeGreaterThanOrEqual(Math.max(0, ...chains.values()));
    }),
    { numRuns: 500 },
  );
});

test('more work never makes it sooner', () => {
  fc.assert(
    fc.property(anyPlan, fc.array(anyTask, { minLength: 1, maxLength: 4 }), (plan, more) => {
      const before = timeLeft(factsOf(plan)) ?? Infinity;
      const after = timeLeft(factsOf({ ...plan, tasks: [...plan.tasks, ...more] })) ?? -1;
      expect(after).toBeGreaterThanOrEqual(before);
    }),
    { numRuns: 500 },
  );
});

test('fewer who work at once never make it sooner', () => {
  fc.assert(
    fc.property(anyPlan, (plan) => {
      const many = timeLeft(factsOf(plan)) ?? Infinity;
      const one = timeLeft(factsOf({ ...plan, slots: 1 })) ?? -1;
      expect(one).toBeGreaterThanOrEqual(many);
    }),
  );
});
