import { execFileSync } from 'node:child_process';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { NODE } from '../cli/rig.ts';
import { makeQueue, type QueueRig, WRITES_A_FILE } from './rig.ts';

/** Every recorded landing, held against git by a script that shares nothing with the product. */
function expectProved(rig: QueueRig, least: number): void {
  const out = execFileSync(NODE, [resolve('scripts/check-landings.mjs'), rig.repo, '--json'], {
    encoding: 'utf8',
    env: rig.env,
  });
  const { ok, landings } = JSON.parse(out);
  expect(ok).toBe(true);
  expect(landings.length).toBeGreaterThanOrEqual(least);
}

/** Both tasks change the first line; a resolver writes what the markers stand for. */
const COLLIDES = `
if [ "$CONVOY_ROLE" = resolver ]; then
  grep -q '<<<<<<<' shared.txt
  test -f "$(git rev-parse --git-path MERGE_HEAD)"
  sed -i '/^[<=>]\\{7\\}/d' shared.txt
  cp "$CONVOY_PROMPT_FILE" prompt-$CONVOY_TASK_ID.txt
else
  echo "$CONVOY_TASK_TITLE" > shared.txt
fi`;

test('GT-168 a conflict opens the merge for a resolver, and both sides land', async () => {
  const rig = await makeQueue({ agent: COLLIDES });
  const [a, b] = [await rig.task('one'), await rig.task('two')];
  const ran = await rig.launch(a, b);
  expect(ran.json.convoy.status).toBe('landed');
  expect(rig.show('main', 'shared.txt')).toContain('one');
  expect(rig.show('main', 'shared.txt')).toContain('two');
  const files = rig.git('ls-tree', '--name-only', 'main').split('\n');
  const prompt = files.find((file) => file.startsWith('prompt-')) ?? '';
  expect(rig.show('main', prompt)).toContain('shared.txt');
  expect(rig.show('main', prompt)).toContain('commits that landed meanwhile');
  expectProved(rig, 3);
});

test('a resolver that leaves the markers has not resolved anything', async () => {
  const rig = await makeQueue({
    agent: `if [ "$CONVOY_ROLE" = resolver ]; then touch other.txt; else echo "$CONVOY_TASK_TITLE" > shared.txt; fi`,
  });
  rig.write(
    '.convoy/config.toml',
    rig.config().replace('[workspace]', '[workspace]\nbackoff = "100ms"'),
  );
  const [a, b] = [await rig.task('one'), await rig.task('two')];
  const ran = await rig.launch(a, b);
  expect(ran.json.convoy.status).toBe('stalled');
  const failed = ran.json.convoy.tasks.find(
    ({ status }: { status: string }) => status === 'failed',
  );
  expect(failed.last_error).toContain('conflict markers are left in shared.txt');
});

test('KG-54 a landing conflict becomes a task of the convoy whose merge resumes the landing', async () => {
  const rig = await makeQueue({ agent: COLLIDES });
  const a = await rig.task('one');
  await rig.ok(['queue', 'pause', '--target', 'main']);
  const { convoy } = await rig.ok(['create', 'Pair', a]);
  expect((await rig.launch(convoy.id)).json.convoy.status).toBe('stalled');
  rig.write('shared.txt', 'the user was here\n');
  rig.git('add', 'shared.txt');
  rig.git('commit', '--quiet', '-m', 'mine');
  await rig.ok(['queue', 'resume']);
  await rig.ok(['up', '--detach']);
  const landed = await rig.until(
    () => rig.status(convoy.id),
    ({ status }) => status === 'landed',
  );
  const followUp = landed.tasks.find(({ id }: { id: string }) => id !== a);
  expect(followUp).toMatchObject({
    type: 'bug',
    status: 'merged',
    title: 'Resolve the landing conflict of Pair',
  });
  expect(rig.show('main', 'shared.txt')).toContain('one');
  expect(rig.show('main', 'shared.txt')).toContain('the user was here');
  expectProved(rig, 3);
  await rig.convoy(['down']);
});

test('a red landing asks for work with the log, and lands what mends it', async () => {
  // Red only on the target with the work on top: the user's file and the agent's do not agree.
  const rig = await makeQueue({
    agent: `if [ -f mine.txt ]; then cp "$CONVOY_PROMPT_FILE" prompt.txt; rm mine.txt; else ${WRITES_A_FILE}; fi`,
    gate: 'if [ -f mine.txt ] && ls web-*.txt; then echo "they do not agree"; exit 1; fi',
  });
  const a = await rig.task('one');
  await rig.ok(['queue', 'pause', '--target', 'main']);
  const { convoy } = await rig.ok(['create', 'Pair', a]);
  await rig.launch(convoy.id);
  rig.write('mine.txt', 'mine\n');
  rig.git('add', 'mine.txt');
  rig.git('commit', '--quiet', '-m', 'mine');
  await rig.ok(['queue', 'resume']);
  await rig.ok(['up', '--detach']);
  await rig.until(
    () => rig.status(convoy.id),
    ({ status }) => status === 'landed',
  );
  expect(rig.show('main', 'prompt.txt')).toContain('they do not agree');
  expectProved(rig, 3);
  await rig.convoy(['down']);
});

test('an owned convoy lands only when its owner says so; --dry-run says what would happen', async () => {
  const rig = await makeQueue();
  const a = await rig.task('one');
  const { convoy } = await rig.ok(['create', 'Mine', a, '--owned']);
  const early = await rig.convoy(['land', convoy.id, '--json']);
  expect(early.code).toBe(1);
  expect(early.json.error.code).toBe('open_tasks');
  await rig.ok(['launch', convoy.id]);
  await rig.until(
    () => rig.status(convoy.id),
    ({ progress }) => progress.merged === 1,
  );
  const before = rig.git('rev-parse', 'main');
  const preview = await rig.ok(['land', convoy.id, '--dry-run']);
  expect(preview).toMatchObject({
    dry_run: true,
    landings: [{ repo: 'main', target: 'main', state: 'clean' }],
  });
  expect(rig.git('rev-parse', 'main')).toBe(before);
  expect((await rig.status(convoy.id)).status).toBe('open');
  await rig.ok(['land', convoy.id]);
  const landed = await rig.until(
    () => rig.status(convoy.id),
    ({ status }) => status === 'landed',
  );
  expect(landed.landings).toMatchObject([{ repo: 'main', target: 'main' }]);
  expectProved(rig, 2);
  await rig.convoy(['down']);
});

test('a proof that no longer holds is found by the script', async () => {
  const rig = await makeQueue();
  const first = rig.git('rev-parse', 'main');
  await rig.launch(await rig.task('one'));
  rig.git('reset', '--quiet', '--hard', first);
  expect(() => expectProved(rig, 2)).toThrow('check-landings');
});

test('a task added to a landed convoy lands too', async () => {
  const rig = await makeQueue();
  const a = await rig.task('one');
  const { convoy } = await rig.ok(['create', 'Pair', a]);
  await rig.launch(convoy.id);
  const b = await rig.task('two');
  await rig.ok(['add', convoy.id, b]);
  await rig.ok(['up', '--detach']);
  await rig.until(
    () => rig.status(convoy.id),
    ({ status }) => status === 'landed',
  );
  expect(rig.show('main', `${b}.txt`)).toBe('two');
  await rig.convoy(['down']);
});
