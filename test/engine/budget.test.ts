import { writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createConvoy, editConvoy, showConvoy, why } from '../../src/contract/routes/convoys.ts';
import { listNotifications } from '../../src/contract/routes/notifications.ts';
import { reviewsOf } from '../../src/ledger/queries/reviews.ts';
import type { Play, Script } from './open-rig.ts';
import { type EngineRig, engineRig, WORK } from './rig.ts';

/** Work that can be taken up in the middle: an agent may be ended there. */
const STEADY = [WORK[0]!, { do: 'lie' }];

const spend = (usd: number, tokens = 0): { do: string; [detail: string]: unknown } => ({
  do: 'usage',
  input: tokens,
  output: 0,
  costUsd: usd,
});

async function convoyOf(
  rig: EngineRig,
  tasks: readonly string[],
  budget: Record<string, number>,
): Promise<string> {
  const { convoy } = await rig.call(createConvoy, {
    body: { title: 'Paid', tasks: [...tasks], budget, launch: true },
  });
  return convoy.id;
}

const told = async (rig: EngineRig, convoy: string): Promise<string[]> => {
  const { notifications } = await rig.call(listNotifications, {});
  return notifications
    .filter(({ subject, kind }) => subject === `convoy/${convoy}` && kind.startsWith('budget'))
    .map(({ kind }) => kind);
};

test('a spent budget starts nothing more, is told once, and another budget lifts it', async () => {
  const rig = await engineRig({
    workspace: { max_parallel: 1 },
    scripts: [{ steps: [spend(0.6, 50), ...STEADY] }],
  });
  const tasks = [await rig.task('A'), await rig.task('B'), await rig.task('C')];
  const convoy = await convoyOf(rig, tasks, { usd: 1 });
  rig.start();
  const stalled = await rig.settled(convoy, 'stalled');
  expect(stalled.reason).toContain(`The budget of ${convoy} is spent: $1.20 of $1.00`);
  expect(stalled.spending).toEqual({ level: 'spent', words: '$1.20 of $1.00' });
  expect(stalled.cost).toMatchObject({ usd: 1.2, tokens: 100 });
  const last = tasks[2]!;
  expect(await rig.attempts(last)).toEqual([]);
  const { reasons } = await rig.call(why, { params: { id: last } });
  expect(reasons.map(({ code }) => code)).toContain('budget_spent');
  await rig.until('told', async () => (await told(rig, convoy)).length > 0);
  await rig.call(editConvoy, { params: { id: convoy }, body: { budget: { usd: 10 } } });
  const landed = await rig.settled(convoy, 'landed');
  expect(landed).toMatchObject({ spending: null, budget: { usd: 10 } });
  expect(landed.cost.usd).toBeGreaterThan(1.7);
  expect(await told(rig, convoy)).toEqual(['budget_spent']);
});

test('four fifths are told before the rest is spent; then agents are ended and their work is kept', async () => {
  const rig = await engineRig();
  rig.play([
    {
      when: { attempt: 1 },
      steps: [
        { do: 'write', path: 'half.txt', content: 'half\n' },
        spend(0.85),
        { do: 'wait-for', path: rig.path('go') },
        spend(0.5),
        { do: 'hang' },
      ],
    },
    { steps: STEADY },
  ]);
  const task = await rig.task('A');
  const convoy = await convoyOf(rig, [task], { usd: 1 });
  rig.start();
  await rig.until('near', async () => {
    const { convoy: now } = await rig.call(showConvoy, { params: { id: convoy } });
    return now.spending?.level === 'near' && now.cost.usd === 0.85;
  });
  writeFileSync(rig.path('go'), '');
  await rig.settled(convoy, 'stalled');
  const [first] = await rig.attempts(task);
  expect(first).toMatchObject({
    status: 'stopped',
    reason: 'the budget is spent: $1.35 of $1.00',
    cost: { usd: 1.35 },
  });
  expect(rig.git('show', `${first?.head}:half.txt`)).toBe('half');
  await rig.until('told', async () => (await told(rig, convoy)).length === 2);
  expect((await told(rig, convoy)).toSorted()).toEqual(['budget_near', 'budget_spent']);
  await rig.call(editConvoy, { params: { id: convoy }, body: { budget: { usd: 0 } } });
  await rig.settled(convoy, 'landed');
  expect(rig.git('show', 'main:half.txt')).toBe('half');
});

test("the workspace's budget is every convoy's default; attempts are a limit too, whose last one ends by itself", async () => {
  const rig = await engineRig({
    workspace: { max_parallel: 1 },
    budget: { tokens: 100 },
    scripts: [{ steps: [spend(0, 70), ...STEADY] }],
  });
  const tokens = await rig.launch(await rig.task('A'), await rig.task('B'), await rig.task('C'));
  rig.start();
  expect((await rig.settled(tokens, 'stalled')).reason).toContain('140 of 100 tokens');
  const tried = [await rig.task('D'), await rig.task('E')];
  const attempts = await convoyOf(rig, tried, { tokens: 0, attempts: 1 });
  const { reason } = await rig.settled(attempts, 'stalled');
  expect(reason).toContain('1 of 1 attempts');
  const states = await Promise.all(tried.map((task) => rig.status(task)));
  expect(states.toSorted()).toEqual(['merged', 'open']);
});

const reviewing = (...steps: Play[]): Script => ({ when: { role: 'reviewer' }, steps });
const APPROVES: Play = { do: 'verdict', verdict: 'approve', findings: [] };

test('what a reviewer used counts like what the others used', async () => {
  const rig = await engineRig({
    repo: { review: 'agent', reviewer: 'mine' },
    scripts: [reviewing(spend(0.4, 40), APPROVES), { steps: [spend(0.3, 30), ...STEADY] }],
  });
  const convoy = await convoyOf(rig, [await rig.task('A')], { usd: 0.8 });
  rig.start();
  const landed = await rig.settled(convoy, 'landed');
  expect(landed.cost).toMatchObject({ usd: 0.7, tokens: 70 });
  expect(landed.review).toMatchObject([{ status: 'approved', usd: 0.4, tokens: 40 }]);
  expect(landed.spending).toEqual({ level: 'near', words: '$0.70 of $0.80' });
  const [attempt] = await rig.attempts(landed.tasks[0]?.id ?? '');
  const alone = ((attempt?.endedAt ?? 0) - (attempt?.startedAt ?? 0)) / 60_000;
  const [review] = await reviewsOf(rig.services.ledger.db, convoy);
  expect(landed.cost.minutes).toBeCloseTo(alone + (review?.ms ?? 0) / 60_000, 2);
  expect(review?.ms).toBeGreaterThan(0);
});

test.each([
  ['the landing', {}],
  ['a change', { merge_mode: 'review-and-merge' }],
])(
  'the reviewer of %s is ended when nothing is left to spend, and asked again when there is',
  async (_, mode) => {
    const rig = await engineRig({
      repo: { review: 'agent', reviewer: 'mine', ...mode },
      scripts: [reviewing(spend(0.8), { do: 'hang' }), { steps: [spend(0.3), ...STEADY] }],
    });
    const convoy = await convoyOf(rig, [await rig.task('A')], { usd: 1 });
    rig.start();
    const stalled = await rig.settled(convoy, 'stalled');
    expect(stalled.reason).toContain('waits: the budget is spent ($1.10 of $1.00)');
    expect(stalled.review).toMatchObject([
      { status: 'waiting', tries: 1, reason: 'the budget is spent: $1.10 of $1.00', usd: 0.8 },
    ]);
    rig.play([reviewing(APPROVES), { steps: STEADY }]);
    await rig.call(editConvoy, { params: { id: convoy }, body: { budget: { usd: 10 } } });
    const landed = await rig.settled(convoy, 'landed');
    expect(landed.review).toMatchObject([{ status: 'approved', tries: 2, usd: 0.8 }]);
  },
);
