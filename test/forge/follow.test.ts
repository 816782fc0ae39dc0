import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { approve, listApprovals } from '../../src/contract/routes/approvals.ts';
import { cancelConvoy } from '../../src/contract/routes/convoys.ts';
import { listQueue, rejectChange, retryChange } from '../../src/contract/routes/queue.ts';
import { type ForgeRig, forgeRig } from './engine-rig.ts';

const AND_MERGE = { merge_mode: 'review-and-merge' };

/** What happens on the forge writes nothing here: it is asked again and again. */
const eventually = (holds: () => boolean): Promise<unknown> =>
  vi.waitUntil(holds, { timeout: 45_000, interval: 50 });

async function begin(
  rig: ForgeRig,
  ...titles: string[]
): Promise<{ convoy: string; tasks: string[] }> {
  const tasks: string[] = [];
  for (const title of titles) tasks.push(await rig.task(title));
  const convoy = await rig.launch(...tasks);
  rig.start();
  return { convoy, tasks };
}

/** A commit of somebody else on main of the forge. */
function others(rig: ForgeRig, file: string, text = 'theirs\n'): string {
  const { bare } = rig.hub;
  const blob = join(rig.root, 'blob');
  writeFileSync(blob, text);
  const id = bare.git('hash-object', '-w', blob);
  bare.git('read-tree', '--empty');
  bare.git('read-tree', 'main');
  bare.git('update-index', '--add', '--cacheinfo', `100644,${id},${file}`);
  const commit = bare.git(
    'commit-tree',
    bare.git('write-tree'),
    '-p',
    bare.head('main') ?? '',
    '-m',
    'theirs',
  );
  bare.git('update-ref', 'refs/heads/main', commit);
  return commit;
}

const runs = (rig: ForgeRig): string[] => readFileSync(rig.path('runs'), 'utf8').trim().split('\n');

const writes = (text: string) => [
  {
    steps: [
      { do: 'write', path: 'same.txt', content: `${text}\n` },
      { do: 'commit', message: text },
      { do: 'lie' },
    ],
  },
];

test.for(['merge', 'squash', 'rebase'] as const)(
  'KG-66 one pull request per change, landed by %s and proved by git',
  async (strategy) => {
    const rig = await forgeRig({ repo: { ...AND_MERGE, strategy } });
    const { convoy, tasks } = await begin(rig, 'one', 'two');
    for (const task of tasks) rig.hub.approve((await rig.waiting(task)).number);
    const landed = await rig.settled(convoy, 'landed', 'closed');
    expect(rig.hub.pulls.size).toBe(2);
    expect([...rig.hub.pulls.values()].map(({ base }) => base)).toEqual(['main', 'main']);
    for (const task of tasks) {
      const [change] = await rig.changes(task);
      expect(change).toMatchObject({
        status: 'merged',
        merged: { proof: 'contained, verified-tree, adds-nothing', unverified: false },
      });
      expect(rig.hub.bare.git('show', `main:work/${task}.txt`)).not.toBe('');
    }
    expect(landed.pull_requests.map(({ state }) => state)).toEqual(['merged', 'merged']);
    expect(rig.git('rev-parse', 'main')).toBe(rig.hub.bare.head('main'));
  },
);

test('KG-63 then-land: workers go to the integration branch, and only the convoy has a pull request', async () => {
  const rig = await forgeRig();
  const { convoy, tasks } = await begin(rig, 'one', 'two');
  const pull = await rig.waiting(convoy);
  expect(rig.hub.pulls.size).toBe(1);
  for (const task of tasks) expect((await rig.changes(task))[0]?.target).toBe(pull.branch);
});

test('GT-160 a yes in Convoy merges too; before it nothing is merged', async () => {
  const rig = await forgeRig();
  const { convoy } = await begin(rig, 'one');
  const pull = await rig.waiting(convoy);
  expect(rig.asked(`PUT /pulls/${pull.number}/merge`)).toBe(0);
  const { entries } = await rig.call(listQueue, { query: { target: 'main' } });
  expect(entries).toMatchObject([
    {
      state: 'waiting_push',
      reason: `verified; pull request #${pull.number}: it needs an approval`,
    },
  ]);
  const { approvals } = await rig.call(listApprovals, { query: {} });
  expect(approvals).toMatchObject([{ kind: 'merge_pr', subject: convoy, status: 'pending' }]);
  await rig.call(approve, { params: { id: approvals[0]?.id ?? '' }, body: { channel: 'cli' } });
  await rig.settled(convoy, 'landed');
  expect(pull.endedBy).toBe('convoy-bot');
});

test('a person merges: noticed, proved, and the question is taken back', async () => {
  const rig = await forgeRig({ repo: { pr_merge: 'approved' } });
  const { convoy } = await begin(rig, 'one');
  const { number } = await rig.waiting(convoy);
  const commit = rig.hub.mergeByHand(number, 'squash');
  const landed = await rig.settled(convoy, 'landed');
  expect(landed.landings).toMatchObject([
    { commit, proof: 'contained, verified-tree, adds-nothing' },
  ]);
  const { approvals } = await rig.call(listApprovals, { query: { all: '1' } });
  expect(approvals.map(({ status }) => status)).toEqual(['void']);
});

test('a person merges onto a target that moved: merged is true, verified is not claimed', async () => {
  const rig = await forgeRig({ poll: '1h' });
  const { convoy } = await begin(rig, 'one');
  const { number } = await rig.waiting(convoy);
  others(rig, 'theirs.txt');
  const commit = rig.hub.mergeByHand(number);
  await rig.stop();
  rig.start();
  const landed = await rig.settled(convoy, 'landed');
  expect(landed.landings).toMatchObject([{ commit, proof: 'contained, adds-nothing' }]);
});

test('what the forge calls merged and git does not show is not merged', async () => {
  const rig = await forgeRig();
  const { convoy } = await begin(rig, 'one');
  const pull = await rig.waiting(convoy);
  Object.assign(pull, {
    state: 'closed',
    mergedAt: '2026-01-01T00:00:00Z',
    mergeCommit: rig.hub.bare.head('main'),
    frozen: rig.hub.headOf(pull),
  });
  const { status } = await rig.pull(
    convoy,
    ({ waits }) => waits?.includes('does not show it') === true,
  );
  expect(status).toBe('waiting_push');
  expect((await rig.settled(convoy, 'landing')).landings).toEqual([]);
});

test('KG-56 closed without a merge: the convoy asks, nothing is made again, and a retry reopens it', async () => {
  const rig = await forgeRig();
  const { convoy } = await begin(rig, 'one');
  const pull = await rig.waiting(convoy);
  rig.hub.close(pull.number, 'mona');
  const stalled = await rig.settled(convoy, 'stalled');
  expect(stalled.reason).toContain(
    `pull request #${pull.number}: it was closed without a merge by mona`,
  );
  await rig.stop();
  rig.start();
  const { id } = await rig.pull(convoy, ({ state }) => state === 'closed');
  expect(rig.asked('POST /pulls')).toBe(1);
  await rig.call(retryChange, { params: { id }, body: {} });
  await rig.pull(convoy, ({ state }) => state === 'open');
  expect(pull.state).toBe('open');
  rig.hub.approve(pull.number);
  await rig.settled(convoy, 'landed');
  expect(rig.asked('POST /pulls')).toBe(1);
});

test('KG-56 the same for the change of one task; rejecting it gives the task back', async () => {
  const rig = await forgeRig({ repo: AND_MERGE });
  const { convoy, tasks } = await begin(rig, 'one');
  const [task = ''] = tasks;
  const { number } = await rig.waiting(task);
  rig.hub.close(number);
  await rig.settled(convoy, 'stalled');
  rig.play([
    {
      steps: [
        { do: 'write', path: 'again.txt', content: 'x\n' },
        { do: 'commit', message: 'again' },
        { do: 'lie' },
      ],
    },
  ]);
  const { id } = await rig.pull(task, ({ state }) => state === 'closed');
  await rig.call(rejectChange, { params: { id }, body: { reason: 'another way, please' } });
  const second = await rig.pull(
    task,
    ({ state, number: other }) => state === 'open' && other !== number,
  );
  rig.hub.approve(second.pull.number ?? 0);
  await rig.settled(convoy, 'landed', 'closed');
  expect(rig.hub.pulls.size).toBe(2);
});

test('a target that moved is tested again before the merge', async () => {
  const rig = await forgeRig();
  rig.config((config) => {
    const [main] = Object.values(config.repos);
    if (main !== undefined)
      main['gates'] = [
        { name: 'test', phase: 'landing', run: `git rev-parse HEAD^{tree} >> ${rig.path('runs')}` },
      ];
  });
  const { convoy } = await begin(rig, 'one');
  const pull = await rig.waiting(convoy);
  expect(runs(rig)).toHaveLength(1);
  others(rig, 'theirs.txt');
  rig.hub.approve(pull.number);
  await rig.settled(convoy, 'landed');
  const tested = runs(rig);
  expect(tested).toHaveLength(2);
  expect(rig.hub.bare.git('rev-parse', 'main^{tree}')).toBe(tested[1]);
});

test('a conflict with the moved target sends the work back, and the old pull request is closed with the reason', async () => {
  const rig = await forgeRig({ repo: AND_MERGE, scripts: writes('mine') });
  const { tasks } = await begin(rig, 'one');
  const [task = ''] = tasks;
  const first = await rig.waiting(task);
  rig.play(writes('both'));
  others(rig, 'same.txt');
  const second = await rig.pull(task, ({ number }) => number !== first.number && number !== null);
  await eventually(() => first.state === 'closed');
  expect(first.comments.join()).toContain('it conflicts with main');
  expect(second.head).not.toBe('');
});

test('KG-51 waiting for days costs a look now and then, and makes nothing new', async () => {
  const rig = await forgeRig({ poll: '1h' });
  const { convoy } = await begin(rig, 'one');
  await rig.waiting(convoy);
  const before = rig.github.requests.length;
  // Every commit wakes the loops; none of them may ask the forge.
  for (let at = 0; at < 5; at++) await rig.task(`unrelated ${at}`);
  await rig.stop();
  expect(rig.github.requests.length).toBe(before);
  const looks = rig.asked('GET /pulls/1');
  rig.start();
  await eventually(() => rig.asked('GET /pulls/1') > looks);
  expect(rig.asked('POST /pulls')).toBe(1);
  expect((await rig.settled(convoy, 'landing')).status).toBe('landing');
});

test('KG-70 cancelling reports what stays open, and closes it when asked', async () => {
  const rig = await forgeRig({ repo: AND_MERGE });
  const { convoy, tasks } = await begin(rig, 'one', 'two');
  const pulls = [await rig.waiting(tasks[0] ?? ''), await rig.waiting(tasks[1] ?? '')];
  const left = await rig.call(cancelConvoy, { params: { id: convoy }, body: {} });
  expect(left.convoy.pull_requests).toMatchObject([
    { state: 'open', closing: false },
    { state: 'open', closing: false },
  ]);
  expect(left.convoy.approvals).toMatchObject([{ status: 'void' }, { status: 'void' }]);
  await rig.stop();
  rig.start();
  await rig.call(cancelConvoy, {
    params: { id: convoy },
    body: { close_prs: true, reason: 'not needed' },
  });
  await eventually(() => pulls.every(({ state }) => state === 'closed'));
  expect(pulls.map(({ comments }) => comments.length)).toEqual([1, 1]);
  expect(pulls[0]?.comments[0]).toContain('not needed');
  expect(rig.asked('PUT /pulls/1/merge')).toBe(0);
});

test('branch protection is told, and the merge happens when it is satisfied', async () => {
  const rig = await forgeRig({ repo: { pr_merge: 'green' } });
  rig.hub.protection = { approvals: 1, checks: [] };
  const { convoy } = await begin(rig, 'one');
  const { pull } = await rig.pull(convoy, ({ waits }) => waits?.includes('required') === true);
  rig.hub.approve(pull.number ?? 0);
  expect((await rig.settled(convoy, 'landed')).landings).toHaveLength(1);
});

test('a forge that is down, limits us or refuses the token delays and heals', async () => {
  const rig = await forgeRig();
  rig.github.failures.push({ method: 'POST', path: '/pulls', status: 503, times: 2 });
  const { convoy } = await begin(rig, 'one');
  await rig.pull(convoy, ({ waits }) => waits?.includes('did not answer') === true);
  const { number } = await rig.waiting(convoy);
  rig.github.failures.push({
    path: '/pulls',
    status: 429,
    headers: { 'retry-after': '1' },
    times: 1,
  });
  rig.github.failures.push({ path: '/pulls', status: 401, message: 'Bad credentials', times: 1 });
  const stuck = await rig.pull(
    convoy,
    ({ waits }) => waits?.includes('refuses the token') === true,
  );
  expect(stuck.pull.stuck).toBe(true);
  rig.hub.approve(number);
  await rig.settled(convoy, 'landed');
});

test('without a forge the queue says what is missing', async () => {
  const rig = await forgeRig();
  Object.assign(rig.env, { GITHUB_TOKEN: '' });
  const { convoy } = await begin(rig, 'one');
  const stalled = await rig.settled(convoy, 'stalled');
  expect(stalled.reason).toContain('needs a forge: there is no token for 127.0.0.1');
  expect(stalled.reason).toContain('GITHUB_TOKEN');
});

test('commits of somebody else on the branch stop the merge', async () => {
  const rig = await forgeRig();
  const { convoy } = await begin(rig, 'one');
  const pull = await rig.waiting(convoy);
  const { bare } = rig.hub;
  const head = rig.hub.headOf(pull);
  bare.git(
    'update-ref',
    `refs/heads/${pull.branch}`,
    bare.git('commit-tree', `${head}^{tree}`, '-p', head, '-m', 'mine'),
  );
  rig.hub.approve(pull.number);
  expect((await rig.settled(convoy, 'stalled')).reason).toContain('pushed to by somebody else');
  expect(pull.state).toBe('open');
});

test('the token is in no file of the workspace', async () => {
  const rig = await forgeRig();
  const { convoy } = await begin(rig, 'one');
  const { number } = await rig.waiting(convoy);
  rig.hub.approve(number);
  await rig.settled(convoy, 'landed');
  await rig.stop();
  const files = readdirSync(rig.path('.convoy'), { recursive: true, encoding: 'utf8' })
    .map((file) => rig.path('.convoy', file))
    .filter((file) => statSync(file).isFile());
  expect(files.length).toBeGreaterThan(2);
  const holding = files.filter((file) => readFileSync(file, 'latin1').includes(rig.github.token));
  expect(holding).toEqual([]);
});
