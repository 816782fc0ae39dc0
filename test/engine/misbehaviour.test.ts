import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { convoyPage } from '../../src/cli/render/convoy-view.ts';
import { taskPage } from '../../src/cli/render/task-view.ts';
import { showConvoy, why } from '../../src/contract/routes/convoys.ts';
import { listNotifications } from '../../src/contract/routes/notifications.ts';
import { showTask } from '../../src/contract/routes/tasks.ts';
import { EXECUTION_MARKER } from '../../src/ports/executor.ts';
import { engineRig, WORK } from './rig.ts';

/** Processes of an execution that are still there, by the mark in their environment. */
function alive(attempt: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const status = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const isZombie = status.slice(status.lastIndexOf(')') + 2).startsWith('Z');
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
      return !isZombie && environment.includes(`${EXECUTION_MARKER}=${attempt}`);
    } catch {
      return false;
    }
  });
}

const TROUBLE = { do: 'write', path: 'kept.txt', content: 'kept\n' };

test.for([
  ['hangs', [{ do: 'hang', ignoreTerm: true }]],
  ['forks', [{ do: 'fork', count: 3 }, { do: 'hang' }]],
] as const)(
  'KG-99 an agent that %s is stopped with its children, its work kept',
  async ([, trouble]) => {
    const rig = await engineRig({
      agent: { timeout: '1s' },
      scripts: [{ when: { attempt: 1 }, steps: [TROUBLE, ...trouble] }, { steps: WORK }],
    });
    const task = await rig.task('T');
    const convoy = await rig.launch(task);
    rig.start();
    await rig.settled(convoy, 'landed');
    const [first] = await rig.attempts(task);
    expect(first?.status).toBe('stopped');
    expect(first?.reason).toBe('it ran longer than 1 s');
    expect(alive(first!.id)).toEqual([]);
    expect(rig.git('show', 'main:kept.txt')).toBe('kept');
  },
);

test('KG-99 an agent that says nothing for too long is stopped; a long step is not silence', async () => {
  const rig = await engineRig({
    workspace: { attempts: 1 },
    agent: { silence: '1s' },
    agents: { mute: { adapter: 'command', command: ['sleep', '60'], silence: '1s' } },
    scripts: [{ steps: [{ do: 'sleep', ms: 2000 }, ...WORK] }],
  });
  const mute = await rig.task('M', { agent: 'mute' });
  const busy = await rig.task('B');
  const convoy = await rig.launch(mute, busy);
  rig.start();
  await rig.settled(convoy, 'stalled');
  const [first] = await rig.attempts(mute);
  expect(first).toMatchObject({ status: 'stopped', reason: 'it was silent for 1 s' });
  expect(await rig.status(busy)).toBe('merged');
});

test('KG-99 silence is noted, then told to a person, then ended; once each', async () => {
  const rig = await engineRig({
    workspace: { attempts: 1 },
    agents: { mute: { adapter: 'command', command: ['sleep', '60'], silence: '2s' } },
  });
  const task = await rig.task('M', { agent: 'mute' });
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'stalled');
  const [first] = await rig.attempts(task);
  expect(first).toMatchObject({
    status: 'stopped',
    reason: 'it was silent for 2 s',
    silences: ['warn', 'escalate', 'stop'],
  });
  const calls = await rig.until('told', async () => {
    const { notifications } = await rig.call(listNotifications, {});
    const found = notifications.filter(({ kind }) => kind === 'needs_decision');
    return found.length > 0 && found;
  });
  expect(calls).toMatchObject([{ subject: `attempt/${first?.id}` }]);
  expect(calls[0]?.title).toContain('nothing for 1 s; it is ended if it stays silent');
});

test('children that outlive their agent are ended before its worktree goes to another', async () => {
  const rig = await engineRig({
    scripts: [{ steps: [WORK[0]!, { do: 'fork', count: 2, ms: 60_000 }, { do: 'lie' }] }],
  });
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  const [first] = await rig.attempts(task);
  expect(alive(first!.id)).toEqual([]);
});

test('1 GB of output fills neither the ledger nor the disk, and the work lands', async () => {
  const rig = await engineRig({
    scripts: [{ steps: [{ do: 'flood', bytes: 1024 ** 3 }, ...WORK] }],
  });
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  const [first] = await rig.attempts(task);
  const folder = rig.path('.convoy', 'logs', first!.id);
  const bytes = readdirSync(folder).reduce(
    (sum, file) => sum + readFileSync(`${folder}/${file}`).length,
    0,
  );
  expect(bytes).toBeLessThan(80 * 1024 ** 2);
});

test('what an agent writes outside its worktree is not part of its change', async () => {
  const rig = await engineRig();
  rig.play([
    {
      steps: [
        { do: 'write-outside', path: rig.path('main', 'intruder.txt'), content: 'x' },
        { do: 'write-outside', path: rig.path('elsewhere.txt'), content: 'x' },
        ...WORK,
      ],
    },
  ]);
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  expect(existsSync(rig.path('elsewhere.txt'))).toBe(true);
  expect(rig.git('ls-tree', '-r', '--name-only', 'main').split('\n')).toEqual([
    'README.md',
    `work/${task}.txt`,
  ]);
  const noted = await rig.until('noted', async () => {
    const [first] = await rig.attempts(task);
    return first?.misdeeds ?? null;
  });
  // What it wrote where nobody looks cannot be seen.
  expect(noted).toEqual(['written in the checkout of main while it ran: intruder.txt']);
  const [first] = await rig.attempts(task);
  const misdeeds = [{ attempt: first?.id, number: 1, text: noted[0] }];
  const shown = {
    task: (await rig.call(showTask, { params: { id: task } })).task,
    convoy: (await rig.call(showConvoy, { params: { id: convoy } })).convoy,
    why: await rig.call(why, { params: { id: task } }),
  };
  expect(shown.task.misdeeds).toEqual(misdeeds);
  expect(shown.convoy.tasks).toMatchObject([{ id: task, misdeeds }]);
  expect(shown.why.reasons).toMatchObject([
    { code: 'finished' },
    { code: 'misdeed', message: expect.stringContaining('intruder.txt'), ids: [first?.id] },
  ]);
  const view = { color: false, columns: 120, now: Date.now };
  for (const page of [taskPage(shown.task, view), convoyPage(shown.convoy, view)])
    expect(page.join('\n')).toContain('in attempt 1: written in the checkout of main');
});

test('an agent that exits 0 without a change has done nothing, and its task is tried again', async () => {
  const rig = await engineRig({
    scripts: [{ when: { attempt: 1 }, steps: [{ do: 'lie' }] }, { steps: WORK }],
  });
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  const [first, second] = await rig.attempts(task);
  expect(first).toMatchObject({ status: 'failed', reason: 'no change' });
  expect(second).toMatchObject({ status: 'done' });
});

test('GT-138 a dirty tree is committed for the agent', async () => {
  const rig = await engineRig({ scripts: [{ steps: [WORK[0]!, { do: 'lie' }] }] });
  const task = await rig.task('Only written');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  expect(rig.git('show', `main:work/${task}.txt`)).toBe('Only written');
  const [first] = await rig.attempts(task);
  const [change] = await rig.changes(task);
  expect(first?.status).toBe('done');
  expect(rig.git('log', '-1', '--format=%s', `${change?.head}`)).toContain('Only written');
});

test('terminal escapes in output and errors never reach the screen', async () => {
  const rig = await engineRig({
    workspace: { attempts: 1 },
    agents: {
      shell: {
        adapter: 'command',
        command: ['sh', '-c', 'printf "\\033]0;owned\\007\\033[2Jboom" >&2; exit 3'],
      },
    },
  });
  const task = await rig.task('Title \u001b[31mred', { agent: 'shell' });
  const id = await rig.launch(task);
  rig.start();
  const convoy = await rig.settled(id, 'stalled');
  const page = convoyPage(convoy, { color: false, columns: 80, now: Date.now });
  const text = [...page].join('\n');
  expect(text).toContain('Title');
  // oxlint-disable-next-line no-control-regex -- control characters are what must not be there
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
});
