import { expect, test } from 'vitest';
import { ranOf } from '../cli/rig.ts';
import { makeQueue, type QueueRig, WRITES_A_FILE } from '../queue/rig.ts';

/** How an agent of the test calls Convoy: the launcher, with its own token in the environment. */
const CONVOY = `"${process.execPath}" "${process.cwd()}/bin/convoy.js"`;

const once = (rig: QueueRig): void =>
  rig.write('.convoy/config.toml', rig.config().replace('# attempts = 3 ', 'attempts = 1 '));

const eventsOf = async (rig: QueueRig, kind: string): Promise<unknown[]> =>
  (await rig.convoy(['events', '--json'])).stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line))
    .filter((event) => event.kind === kind);

test('GT-145 OVERRIDDEN by the spec: done submits, and only a proved merge completes the task', async () => {
  const rig = await makeQueue({
    agent: `${WRITES_A_FILE}\n${CONVOY} done`,
    gate: `while [ -d "$(dirname "$GO_FILE")" ] && [ ! -e "$GO_FILE" ]; do sleep 0.05; done`,
  });
  rig.repoSettings('env = ["GO_FILE"]');
  const go = `${rig.root}/go`;
  const task = await rig.task('Aa');
  const child = rig.start(['launch', task, '--wait', '--json'], { env: { GO_FILE: go } });
  const ran = ranOf(child);
  await rig.until(
    () => rig.ok(['task', 'show', task]),
    ({ task: { status } }) => status === 'submitted',
  );
  expect((await rig.ok(['task', 'show', task])).task.merged).toBeNull();
  rig.write('../go', '');
  expect((await ran).json.convoy.tasks).toMatchObject([{ id: task, status: 'merged' }]);
});

test('KG-92 done said twice gives one change', async () => {
  const rig = await makeQueue({ agent: `${WRITES_A_FILE}\n${CONVOY} done\n${CONVOY} done` });
  const ran = await rig.launch(await rig.task('Aa'));
  expect(ran.json.convoy.status).toBe('landed');
  expect(await eventsOf(rig, 'change-enqueued')).toHaveLength(2); // the task's, and the landing
});

test('KG-92 done by somebody who holds no attempt is refused', async () => {
  const rig = await makeQueue();
  const ran = await rig.convoy(['done', '--json']);
  expect([ran.code, ran.json.error.code]).toEqual([2, 'no_attempt']);
});

test('GT-150 done outside the own worktree is refused and nothing there is committed', async () => {
  const rig = await makeQueue({
    agent: `cd "$REPO_OF_USER" && echo x > stray.txt && ${CONVOY} done --json > "$CONVOY_WORKTREE/said.json" || true`,
  });
  rig.repoSettings('env = ["REPO_OF_USER"]');
  const child = rig.start(['launch', await rig.task('Aa'), '--wait', '--json'], {
    env: { REPO_OF_USER: rig.repo },
  });
  const ran = await ranOf(child);
  expect(ran.json.convoy.status).toBe('landed');
  expect(JSON.parse(rig.show('main', 'said.json')).error.code).toBe('outside_worktree');
  expect(rig.git('log', '--all', '--format=%H', '--', 'stray.txt')).toBe('');
});

test('work without code is closed when its agent declares it, and says what was done', async () => {
  const rig = await makeQueue({ agent: `${CONVOY} done --no-code --reason "Asked the vendor"` });
  const task = await rig.task('Ask');
  const ran = await rig.launch(task);
  expect(ran.code).toBe(0);
  expect(ran.json.convoy).toMatchObject({
    status: 'closed',
    progress: { required: 1, closed: 1, merged: 0 },
  });
  expect((await rig.ok(['task', 'show', task])).task.outcome).toContain('Asked the vendor');
});

test('GT-148 an escalation leaves the task unfinished and is what needs a person', async () => {
  const rig = await makeQueue({
    agent: `${CONVOY} escalate --severity high "The schema has no owner"\nexit 1`,
  });
  once(rig);
  const task = await rig.task('Aa');
  const ran = await rig.launch(task);
  expect(ran.code).toBe(1);
  expect(ran.json.convoy.tasks).toMatchObject([{ id: task, status: 'failed' }]);
  const home = await rig.convoy(['status']);
  expect(home.stdout).toContain('The schema has no owner');
});

test('GT-139 OVERRIDDEN by the spec: what an agent notes is kept, and the next attempt can read it', async () => {
  const rig = await makeQueue({
    agent: `if [ "$CONVOY_ATTEMPT" = 1 ]; then echo half > half.txt; ${CONVOY} checkpoint "Schema is done"; exit 1; fi
test -e half.txt
cp "$CONVOY_PROMPT_FILE" prompt.txt`,
  });
  rig.write(
    '.convoy/config.toml',
    rig.config().replace('[workspace]', '[workspace]\nbackoff = "50ms"'),
  );
  const ran = await rig.launch(await rig.task('Aa'));
  expect(ran.json.convoy.status).toBe('landed');
  expect(rig.show('main', 'half.txt')).toBe('half');
  expect(rig.show('main', 'prompt.txt')).toContain('Schema is done');
});

test('KG-79 the brief of a task that is being worked on cannot be changed under its agent', async () => {
  const rig = await makeQueue();
  rig.agent(
    `while [ -d "${rig.root}" ] && [ ! -e "${rig.root}/go" ]; do sleep 0.05; done\n${WRITES_A_FILE}`,
  );
  const task = await rig.task('Aa');
  const { convoy_id: cv } = await rig.ok(['launch', task]);
  const no = await rig.convoy(['task', 'edit', task, '--description', 'all new', '--json']);
  expect([no.code, no.json.error.code]).toEqual([1, 'being_worked_on']);
  await rig.ok(['task', 'edit', task, '--priority', 'P0']);
  rig.write('../go', '');
  await rig.until(
    () => rig.status(cv),
    ({ status }) => status === 'landed',
  );
});

test.each([
  ['direct', true],
  ['local', false],
])('GT-135 delivery %s: the target of origin moves: %s', async (delivery, moves) => {
  const rig = await makeQueue({ settings: `delivery = "${delivery}"` });
  const bare = `${rig.root}/origin.git`;
  rig.git('init', '-q', '--bare', '-b', 'main', bare);
  rig.git('remote', 'add', 'origin', bare);
  rig.git('push', '-q', 'origin', 'main');
  const before = rig.git('--git-dir', bare, 'rev-parse', 'main');
  const ran = await rig.launch(await rig.task('Aa'));
  expect(ran.json.convoy.status).toBe('landed');
  const after = rig.git('--git-dir', bare, 'rev-parse', 'main');
  expect(after !== before).toBe(moves);
  expect(rig.git('rev-parse', 'main')).toBe(moves ? after : ran.json.convoy.landings[0].commit);
});
