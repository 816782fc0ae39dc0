import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { queueId } from '../../src/domain/merge/queue.ts';
import { queueAggregate } from '../../src/ledger/aggregates/queue.ts';
import { ok } from '../../src/lib/result.ts';
import { engineRig, WORK } from './rig.ts';

const GATE = [{ name: 'test', run: 'if test -e bad.txt; then echo "bad is not good"; exit 1; fi' }];

test('a red gate asks for rework with the log, and the mended change lands', async () => {
  const rig = await engineRig({
    gates: GATE,
    scripts: [
      { when: { attempt: 1 }, steps: [{ do: 'write', path: 'bad.txt', content: '' }, ...WORK] },
      { steps: [{ do: 'delete', path: 'bad.txt' }, { do: 'lie' }] },
    ],
  });
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  const attempts = await rig.attempts(task);
  const changes = await rig.changes(task);
  expect(attempts.map(({ status }) => status)).toEqual(['done', 'done']);
  expect(changes.map(({ status }) => status)).toEqual(['red', 'merged']);
  expect(rig.prompt(attempts[1]!)).toContain('bad is not good');
  expect(rig.git('ls-tree', '-r', '--name-only', 'main')).not.toContain('bad.txt');
});

test('work that stays red is never merged: the attempts are spent and the task fails', async () => {
  const rig = await engineRig({
    gates: GATE,
    workspace: { attempts: 2 },
    scripts: [{ steps: [{ do: 'write', path: 'bad.txt', content: '{attempt}' }, ...WORK] }],
  });
  const task = await rig.task('T');
  const id = await rig.launch(task);
  rig.start();
  const convoy = await rig.settled(id, 'stalled');
  expect(await rig.status(task)).toBe('failed');
  expect(convoy.tasks[0]?.last_error).toContain('gate test failed');
  expect(rig.git('rev-parse', 'main')).toBe(rig.git('rev-list', '--max-parents=0', 'main'));
});

test('a conflict is given to a resolver, who finds it in the worktree, and both sides land', async () => {
  const rig = await engineRig({
    files: { 'shared.txt': 'start\n' },
    scripts: [
      // The first resolver says it is through and leaves the marks; that is not a resolution.
      { when: { role: 'resolver', attempt: 2 }, steps: [{ do: 'lie' }] },
      {
        when: { role: 'resolver' },
        steps: [
          { do: 'edit', path: 'shared.txt', find: '=======\n', replace: '' },
          { do: 'edit', path: 'shared.txt', find: '<<<<<<< HEAD\n', replace: '' },
          { do: 'edit', path: 'shared.txt', find: '>>>>>>> ', replace: 'from ' },
          { do: 'lie' },
        ],
      },
      {
        steps: [
          { do: 'write', path: 'shared.txt', content: '{title}\n' },
          { do: 'write', path: 'own-{title}.txt', content: '' },
          { do: 'lie' },
        ],
      },
    ],
  });
  const a = await rig.task('a');
  const b = await rig.task('b');
  const convoy = await rig.launch(a, b);
  rig.start();
  await rig.settled(convoy, 'landed');
  const all = [...(await rig.attempts(a)), ...(await rig.attempts(b))];
  const resolvers = all.filter(({ role }) => role === 'resolver');
  expect(resolvers.map(({ status }) => status)).toEqual(['failed', 'done']);
  expect(resolvers[0]?.reason).toBe('conflict markers are left in shared.txt:1, shared.txt:5');
  expect(rig.prompt(resolvers[0]!)).toContain('shared.txt');
  const lines = rig.git('show', 'main:shared.txt').split('\n');
  expect(lines).toEqual(expect.arrayContaining(['a', 'b']));
  // What did not conflict came along without anybody writing it again.
  const files = rig.git('ls-tree', '--name-only', 'main').split('\n');
  expect(files).toEqual(expect.arrayContaining(['own-a.txt', 'own-b.txt']));
});

test('a gate that cannot run pauses the queue, stalls the convoy, and merges nothing', async () => {
  const rig = await engineRig({ gates: [{ name: 'test', run: ['no-such-tool-here'] }] });
  const task = await rig.task('T');
  const id = await rig.launch(task);
  rig.start();
  const convoy = await rig.settled(id, 'stalled');
  expect(convoy.reason).toContain('gate test is broken');
  expect(convoy.reason).toContain('no-such-tool-here');
  expect(await rig.status(task)).toBe('submitted');
  expect(await rig.attempts(task)).toHaveLength(1);

  rig.config(({ repos }) => {
    repos['main']!['gates'] = [{ name: 'test', run: ['true'] }];
  });
  const [change] = await rig.changes(task);
  await rig.services.ledger.write('operator', async (tx) => {
    await tx.record(queueAggregate, queueId('main', change!.target), [{ type: 'queue-resumed' }]);
    return ok(null);
  });
  await rig.settled(id, 'landed');
});

test('a gate of the landing only runs there; a broken one stalls the convoy', async () => {
  const rig = await engineRig();
  rig.config(({ repos }) => {
    repos['main']!['gates'] = [
      { name: 'each', phase: 'change', run: `echo change >> ${rig.path('ran')}` },
      { name: 'both', run: `echo both >> ${rig.path('ran')}` },
      { name: 'last', phase: 'landing', run: 'exit 127' },
    ];
  });
  const task = await rig.task('T');
  const id = await rig.launch(task);
  rig.start();
  const convoy = await rig.settled(id, 'stalled');
  expect(convoy.reason).toContain('gate last is broken');
  expect(await rig.status(task)).toBe('merged');
  expect(readFileSync(rig.path('ran'), 'utf8')).toBe('change\nboth\nboth\n');
});

test('the same tree is never tested twice', async () => {
  const rig = await engineRig();
  rig.config(({ repos }) => {
    repos['main']!['gates'] = [{ name: 'count', run: `echo x >> ${rig.path('ran')}` }];
  });
  const convoy = await rig.launch(await rig.task('T'));
  rig.start();
  await rig.settled(convoy, 'landed');
  // Once for the change; the landing has the very same tree.
  expect(readFileSync(rig.path('ran'), 'utf8')).toBe('x\n');
});

test('secrets are refused, also when a later attempt builds on the one that held them', async () => {
  const key = ['AKIA', 'ABCDEFGHIJKLMNOP'].join('');
  const rig = await engineRig({
    workspace: { attempts: 2 },
    scripts: [
      {
        when: { attempt: 1 },
        steps: [{ do: 'write', path: 'key.txt', content: `aws = ${key}\n` }, ...WORK],
      },
      { steps: [{ do: 'write', path: 'more.txt', content: 'x' }, { do: 'lie' }] },
    ],
  });
  const task = await rig.task('T');
  const id = await rig.launch(task);
  rig.start();
  await rig.settled(id, 'stalled');
  const attempts = await rig.attempts(task);
  for (const { reason } of attempts) expect(reason).toContain('key.txt:1');
  for (const { reason } of attempts) expect(reason).not.toContain(key);
  expect(await rig.changes(task)).toEqual([]);
});

test('files outside the allowed paths are refused', async () => {
  const rig = await engineRig({ workspace: { attempts: 1 }, repo: { allowed_paths: ['src'] } });
  const task = await rig.task('T');
  const id = await rig.launch(task);
  rig.start();
  await rig.settled(id, 'stalled');
  expect((await rig.attempts(task))[0]?.reason).toContain('outside the allowed paths: work/');
});

test('a clean checkout of the target moves along; a dirty one waits and keeps its files', async () => {
  const rig = await engineRig({ files: { 'mine.txt': 'old\n' } });
  rig.play([{ steps: [{ do: 'append', path: 'mine.txt', content: '{title}\n' }, { do: 'lie' }] }]);
  const first = await rig.launch(await rig.task('one'));
  rig.start();
  await rig.settled(first, 'landed');
  expect(readFileSync(rig.path('main', 'mine.txt'), 'utf8')).toBe('old\none\n');
  expect(rig.git('status', '--porcelain')).toBe('');

  writeFileSync(rig.path('main', 'mine.txt'), 'my own work\n');
  const second = await rig.launch(await rig.task('two'));
  await rig.until('waiting for the checkout', async () =>
    (await rig.changes(second)).some(
      (change) => change.status === 'waiting_push' && change.because === 'target_checkout_dirty',
    ),
  );
  expect(readFileSync(rig.path('main', 'mine.txt'), 'utf8')).toBe('my own work\n');
  rig.git('checkout', 'mine.txt');
  await rig.settled(second, 'landed');
  expect(readFileSync(rig.path('main', 'mine.txt'), 'utf8')).toBe('old\none\ntwo\n');
});
