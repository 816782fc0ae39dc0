import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { inBatches, makeCli } from './rig.ts';

const LONG =
  'Größere Überschriften für 👩‍👩‍👧‍👦 Familien und 日本語のタイトル mit sehr vielen Wörtern darin';

test('GT-40 stage prints the tree, then the waves, then what is in no wave, then the findings', async () => {
  const rig = await makeCli({ ready: true });
  const epic = await rig.task('Health', '--type', 'epic');
  const sub = await rig.task('Probes', '--type', 'epic', '--parent', epic);
  const a = await rig.task(LONG, '--parent', sub);
  const b = await rig.task('Second', '--parent', sub);
  const decision = await rig.task('Which port?', '--type', 'decision', '--parent', epic);
  const gated = await rig.task('Gated', '--parent', epic);
  const outer = await rig.task('Elsewhere');
  const waits = await rig.task('Waits', '--parent', epic);
  for (const [task, on] of [
    [b, a],
    [gated, decision],
    [waits, outer],
  ] as const)
    await rig.ok(['task', 'dep', 'add', task, on]);
  const ran = await rig.convoy(['stage', epic]);
  expect(ran.code).toBe(0);
  const lines = ran.stdout.trimEnd().split('\n');
  const at = (part: string): number => lines.findIndex((line) => line.includes(part));
  const order = [
    at(`${epic}  Health`),
    at('WAVE  TASK'),
    at('Waiting for a decision (1)'),
    at('Waiting for work outside (1)'),
    at('Warnings ('),
    at('Notices ('),
    at('Staged as cv-'),
  ];
  expect(order).not.toContain(-1);
  expect(order).toEqual(order.toSorted((x, y) => x - y));
  expect(lines[at(`${b}  Second`)]).toMatch(
    new RegExp(`^│  └─ ${b}  Second  ○ open, blocked by ${a}$`),
  );
  expect(lines[at('WAVE  TASK')]).toMatch(/^WAVE +TASK +REPO +TITLE +BLOCKED BY$/);
  expect(ran.stdout).toContain(`  ${gated}  blocked by ${decision}`);
  expect(ran.stdout).toContain(`  ${waits}  blocked by ${outer}`);
});

test('GT-40 no line is wider than 80 columns without a terminal, and titles are cut between characters', async () => {
  const rig = await makeCli();
  const epic = await rig.task(LONG, '--type', 'epic');
  const first = await rig.task(LONG, '--parent', epic);
  for (let number = 0; number < 3; number++)
    await rig.ok(['task', 'dep', 'add', await rig.task(LONG, '--parent', epic), first]);
  const { convoy_id: cv } = await rig.ok(['stage', epic]);
  for (const args of [
    ['stage', epic],
    ['status'],
    ['status', cv],
    ['list'],
    ['list', '--tree'],
    ['task', 'list'],
    ['task', 'ready'],
    ['stranded'],
    ['why', first],
    ['repo', 'list'],
    ['repo', 'show', 'main'],
  ]) {
    const { stdout } = await rig.convoy(args);
    const wide = stdout.split('\n').filter((line) => stringWidth(line) > 80);
    expect([args.join(' '), wide]).toEqual([args.join(' '), []]);
    // A family cut in two would leave a joiner at the cut.
    expect(stdout).not.toMatch(/\u200d…/u);
    expect(stdout).not.toContain('\ufffd');
  }
});

test('GT-38 findings are numbered, with their category, the ids and a fix', async () => {
  const rig = await makeCli();
  const a = await rig.task('a');
  const { stdout } = await rig.convoy(['stage', a]);
  expect(stdout).toMatch(/^Warnings \(2\)$/m);
  expect(stdout).toMatch(/^ {2}1\. no_gate: main has no gate/m);
  expect(stdout).toMatch(/^ {2}2\. no_agent: main has no agent\.$/m);
  expect(stdout).toMatch(new RegExp(`^ {5}${a}$`, 'm'));
  expect(stdout.match(/^ {5}fix: /gm)).toHaveLength(3);
});

test('GT-46 stage takes the options of a convoy on the command line', async () => {
  const rig = await makeCli({ ready: true });
  const a = await rig.task('a');
  const options = ['--owner', 'bob', '--max-parallel', '2', '--merge-mode', 'review-and-merge'];
  const { convoy_id: cv } = await rig.ok([
    'stage',
    a,
    ...options,
    '--label',
    'q3',
    '--budget',
    '5',
  ]);
  expect((await rig.ok(['status', cv])).convoy).toMatchObject({
    owner: 'bob',
    max_parallel: 2,
    merge_mode: 'review-and-merge',
    labels: ['q3'],
    budget: { usd: 5 },
  });
});

test('hostile text in a title cannot move the cursor or colour the terminal', async () => {
  const rig = await makeCli();
  const id = await rig.task('evil \u001b[2J\u001b]0;owned\u0007 \u202etxt');
  for (const args of [['stage', id], ['task', 'show', id], ['task', 'list'], ['status']]) {
    const { stdout, stderr } = await rig.convoy(args);
    // oxlint-disable-next-line no-control-regex -- that is the point
    expect(stdout + stderr).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  }
});

test('every --json answer begins with the schema, and nothing else is on stdout', async () => {
  const rig = await makeCli();
  const id = await rig.task('a');
  const { convoy_id: cv } = await rig.ok(['stage', id]);
  const wrong: string[] = [];
  const asked = [
    ['status'],
    ['status', cv],
    ['status', id],
    ['list'],
    ['list', '--tree'],
    ['task', 'list'],
    ['task', 'ready'],
    ['task', 'show', id],
    ['why', id],
    ['why', cv],
    ['stranded'],
    ['repo', 'list'],
    ['repo', 'show', 'main'],
    ['doctor'],
    ['config', 'get', 'workspace.max_parallel'],
    ['config', 'explain'],
    ['ledger', 'info'],
    ['ledger', 'verify'],
    ['version'],
    ['init'],
    ['down'],
  ];
  await inBatches(asked, async (args) => {
    const ran = await rig.convoy([...args, '--json']);
    // The doctor of a bare machine may have something to say.
    if (ran.code !== 0 && args[0] !== 'doctor')
      wrong.push(`${args.join(' ')} ended with ${ran.code}`);
    if (Object.keys(ran.json)[0] !== 'schema' || !ran.stdout.startsWith('{"schema":"convoy.v1"'))
      wrong.push(`${args.join(' ')} begins with ${ran.stdout.slice(0, 40)}`);
  });
  expect(wrong).toEqual([]);
});
