import { writeFileSync } from 'node:fs';
import { expect, test, vi } from 'vitest';
import { showChange } from '../../src/contract/routes/queue.ts';
import { listEvents, readLogs } from '../../src/contract/routes/system.ts';
import { engineRig, type EngineRig } from '../engine/rig.ts';

const logOf = async (rig: EngineRig, id: string): Promise<string> => {
  let text = '';
  for (let after = 0; ;) {
    const part = await rig.call(readLogs, { params: { id }, query: { after } });
    if (part.text === '') return text;
    text += part.text;
    after = part.next;
  }
};

test('GT-152 a flaky gate is run again: recorded, shown, and green at last', async () => {
  const rig = await engineRig({
    gates: [
      { name: 'lint', run: 'echo linted' },
      {
        name: 'flaky',
        retries: 2,
        // Fails the first time it is asked about a tree.
        run: 'tree=$(git rev-parse "HEAD^{tree}"); if [ ! -e "$HOME/$tree" ]; then touch "$HOME/$tree"; echo "bad luck"; exit 1; fi; echo "good luck"',
      },
    ],
  });
  const task = await rig.task('One');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  const [change] = await rig.changes(task);
  const id = change?.id ?? '';
  const { entry } = await rig.call(showChange, { params: { id } });
  expect(entry.verifications).toMatchObject([
    { outcome: 'green', retried: [{ gate: 'flaky', tries: ['failed-once', 'green'] }] },
  ]);
  const log = await logOf(rig, id);
  expect(log).toBe(
    '── gate lint ──\nlinted\n── gate flaky ──\nbad luck\n── gate flaky, try 2 ──\ngood luck\n',
  );
  expect(await logOf(rig, entry.verifications[0]?.id ?? '')).toBe(log);
});

test('what a gate prints can be read while it runs', async () => {
  const rig = await engineRig({
    gates: [{ name: 'slow', run: 'echo begun; while [ ! -e "$HOME/go" ]; do sleep 0.05; done' }],
  });
  const task = await rig.task('One');
  const convoy = await rig.launch(task);
  rig.start();
  const id = await rig.until('verifying', async () => {
    const [change] = await rig.changes(task);
    return change?.status === 'verifying' && change.id;
  });
  let text = '';
  let position = 0;
  await vi.waitUntil(
    async () => {
      const part = await rig.call(readLogs, { params: { id }, query: { after: position } });
      text += part.text;
      position = part.next;
      return part.status === 'running' && text.includes('begun');
    },
    { timeout: 30_000, interval: 20 },
  );
  expect(text).toBe('── gate slow ──\nbegun\n');
  writeFileSync(rig.path('home', 'go'), '');
  await rig.settled(convoy, 'landed');
});

test('every gate run that began has an end in the ledger, speculative ones too', async () => {
  const rig = await engineRig({
    repo: { slots: 3 },
    gates: [{ name: 'test', run: 'sleep 0.3; test ! -e work/bad.txt' }],
    scripts: [
      {
        when: { title: 'bad' },
        steps: [{ do: 'write', path: 'work/bad.txt', content: 'x' }, { do: 'lie' }],
      },
      { steps: [{ do: 'write', path: 'work/{task_id}.txt', content: 'x' }, { do: 'lie' }] },
    ],
    workspace: { attempts: 1 },
  });
  const titles = ['a', 'b', 'bad', 'c', 'd', 'e'];
  const tasks: string[] = [];
  for (const title of titles) tasks.push(await rig.task(title));
  const convoy = await rig.launch(...tasks);
  rig.start();
  await rig.settled(convoy, 'stalled');
  await rig.stop();
  const kinds = async (kind: string): Promise<string[]> =>
    (await rig.call(listEvents, { query: { kind: [kind], limit: 1000 } })).events
      .map(({ subject, data }) => `${subject} ${String(data['verification'])}`)
      .toSorted();
  const started = await kinds('change-verification-started');
  expect(started.length).toBeGreaterThan(titles.length);
  expect(await kinds('change-verification-ended')).toEqual(started);
});
