import { expect, test } from 'vitest';
import { ranOf } from '../cli/rig.ts';
import { makeQueue, type QueueRig, WRITES_A_FILE } from '../queue/rig.ts';

/** Agents that stay until the test lets them go on, so that what has started can be looked at. */
const WAITS = (rig: QueueRig): string =>
  `while [ -d "${rig.root}" ] && [ ! -e "${rig.root}/go" ]; do sleep 0.05; done\n${WRITES_A_FILE}`;

async function waitingRig(): Promise<QueueRig> {
  const rig = await makeQueue();
  rig.agent(WAITS(rig));
  return rig;
}

test('GT-54 GT-57 GT-60 a staged convoy is launched as it is; exactly what is ready starts, and that is said', async () => {
  const rig = await waitingRig();
  const [a, b, c] = [await rig.task('Aa'), await rig.task('Bb'), await rig.task('Cc')];
  await rig.ok(['task', 'dep', 'add', b, a]);
  const { convoy_id: cv, waves } = await rig.ok(['stage', a, b, c]);
  expect(waves).toHaveLength(2);
  const said = await rig.convoy(['launch', cv]);
  expect(said.code).toBe(0);
  const lines = said.stdout.split('\n');
  expect(lines).toContain('3 tasks in 2 waves; started now: 2');
  for (const line of [`  ${a}  main  Aa`, `  ${c}  main  Cc`]) expect(lines).toContain(line);
  expect(said.stdout).toContain('The rest starts by itself');
  expect(said.stdout).toContain(`convoy status ${cv} -f`);
  expect(said.stderr).toContain('Started the engine in the background');
  expect((await rig.ok(['task', 'show', b])).task).toMatchObject({ status: 'open', attempts: 0 });
  const again = await rig.convoy(['launch', cv, '--json']);
  expect([again.code, again.json.error.code]).toEqual([4, 'already_launched']);
  rig.write('../go', '');
  await rig.until(
    () => rig.status(cv),
    ({ status }) => status === 'landed',
  );
});

test('GT-57 GT-64 launch --json names exactly what it dispatched', async () => {
  const rig = await waitingRig();
  const [a, b, c] = [await rig.task('Aa'), await rig.task('Bb'), await rig.task('Cc')];
  await rig.ok(['task', 'dep', 'add', b, a]);
  const answer = await rig.ok(['launch', a, b, c]);
  expect(answer).toMatchObject({ status: 'open', failed: [] });
  expect(answer.dispatched.toSorted()).toEqual([a, c].toSorted());
});

test('GT-58 one fails, the other is done; both results are kept', async () => {
  const rig = await makeQueue({
    agent: `case "$CONVOY_TASK_TITLE" in Bad) exit 3;; esac\n${WRITES_A_FILE}`,
  });
  rig.write('.convoy/config.toml', rig.config().replace('# attempts = 3 ', 'attempts = 1 '));
  const [bad, good] = [await rig.task('Bad'), await rig.task('Good')];
  const ran = await rig.launch(bad, good);
  expect(ran.code).toBe(1);
  expect(ran.json.convoy.status).toBe('stalled');
  const byId = new Map(ran.json.convoy.tasks.map((task: { id: string }) => [task.id, task]));
  expect(byId.get(good)).toMatchObject({ status: 'merged' });
  expect(byId.get(bad)).toMatchObject({ status: 'failed', attempts: 1 });
});

test('GT-61 GT-62 a repo parked after the stage refuses the launch, names its tasks, and leaves it staged', async () => {
  const rig = await waitingRig();
  const [a, b] = [await rig.task('Aa'), await rig.task('Bb')];
  const { convoy_id: cv } = await rig.ok(['stage', a, b]);
  await rig.ok(['repo', 'park', 'main']);
  const events = await rig.events();
  const no = await rig.convoy(['launch', cv, '--json']);
  expect([no.code, no.json.error.code]).toEqual([1, 'parked_repo']);
  for (const word of ['main', a, b]) expect(no.json.error.message).toContain(word);
  expect(await rig.events()).toBe(events);
  expect((await rig.status(cv)).status).toBe('staged_ready');

  const forced = await rig.ok(['launch', cv, '--force']);
  expect(forced.dispatched).toEqual([]);
  expect((await rig.ok(['why', a])).reasons).toContainEqual(
    expect.objectContaining({ code: 'repo_parked' }),
  );
  await rig.ok(['repo', 'unpark', 'main']);
  rig.write('../go', '');
  await rig.until(
    () => rig.status(cv),
    ({ status }) => status === 'landed',
  );
});

test('GT-62 a task closed between stage and launch is not started', async () => {
  const rig = await waitingRig();
  const [a, b] = [await rig.task('Aa'), await rig.task('Bb')];
  const { convoy_id: cv } = await rig.ok(['stage', a, b]);
  await rig.ok(['task', 'close', a]);
  expect((await rig.ok(['launch', cv])).dispatched).toEqual([b]);
});

test('GT-63 when nothing could be started the launch says so and the convoy is stalled, not under way', async () => {
  const rig = await makeQueue();
  rig.write(
    '.convoy/config.toml',
    rig
      .config()
      .replace(/^command = .*$/m, 'command = ["no-such-agent-anywhere"]')
      .replace('# attempts = 3 ', 'attempts = 1 '),
  );
  const [a, b] = [await rig.task('Aa'), await rig.task('Bb')];
  const ran = await ranOf(rig.start(['launch', a, b, '--force', '--wait', '--json']));
  expect(ran.code).toBe(1);
  expect(ran.json.convoy).toMatchObject({ status: 'stalled', feeding: true });
  expect((await rig.ok(['why', a])).reasons[0].message).toContain('no-such-agent-anywhere');
});

test('GT-64 the base branch and the merge mode of the convoy are what its agents get', async () => {
  const rig = await makeQueue({ agent: `cp released.txt base.txt\n${WRITES_A_FILE}` });
  rig.git('branch', 'release');
  rig.git('checkout', '-q', 'release');
  rig.write('released.txt', 'only in release');
  rig.git('add', 'released.txt');
  rig.git('commit', '-q', '-m', 'a release');
  rig.git('checkout', '-q', 'main');
  const task = await rig.task('Aa');
  const { convoy_id: cv } = await rig.ok([
    'stage',
    task,
    '--base-branch',
    'release',
    '--merge-mode',
    'review-and-merge',
  ]);
  const ran = await rig.launch(cv);
  expect(ran.json.convoy).toMatchObject({ status: 'landed', merge_mode: 'review-and-merge' });
  const { target, commit } = ran.json.convoy.landings[0];
  expect(rig.git('show', `${commit}:base.txt`)).toBe('only in release');
  expect(rig.git('merge-base', '--is-ancestor', commit, target)).toBe('');
});

test('GT-64 of two launches at once exactly one wins', async () => {
  const rig = await waitingRig();
  const { convoy_id: cv } = await rig.ok(['stage', await rig.task('Aa'), await rig.task('Bb')]);
  const both = await Promise.all([1, 2].map(() => rig.convoy(['launch', cv, '--json'])));
  expect(both.map(({ code }) => Number(code)).toSorted((a, b) => a - b)).toEqual([0, 4]);
  const launched = await rig.convoy(['events', '--json']);
  const kinds = launched.stdout.split('\n').filter((line) => line.includes('"convoy-launched"'));
  expect(kinds).toHaveLength(1);
});

test('stage --launch and create --launch start what they launch, with an engine to do it', async () => {
  const rig = await makeQueue();
  const staged = await rig.ok(['stage', await rig.task('Aa'), '--launch']);
  expect(staged.launched).toBe(true);
  await rig.until(
    () => rig.status(staged.convoy_id),
    ({ status }) => status === 'landed',
  );
  await rig.ok(['down']);
  const created = await rig.ok(['create', 'Second', await rig.task('Bb'), '--launch']);
  await rig.until(
    () => rig.status(created.convoy.id),
    ({ status }) => status === 'landed',
  );
});
