import { expect, onTestFinished, test } from 'vitest';
import { listQueue } from '../../src/contract/routes/queue.ts';
import { startLocalEngine } from '../../src/daemon/engine.ts';
import type { Repositories } from '../../src/ports/repositories.ts';
import { outbox } from '../../src/ledger/queries/outbox.ts';
import { engineRig, type EngineRig } from '../engine/rig.ts';

/** Repositories whose first merges never come back, as a git that hangs. */
function hanging(repositories: Repositories, times: number): Repositories & { hung: () => number } {
  let hung = 0;
  return {
    hung: () => hung,
    async open(path) {
      const opened = await repositories.open(path);
      if (!opened.ok) return opened;
      const { merges } = opened.value;
      const value = {
        ...opened.value,
        merges: {
          mergeTrees: merges.mergeTrees.bind(merges),
          alreadyContained: merges.alreadyContained.bind(merges),
          build: (...asked: Parameters<typeof merges.build>) => {
            if (hung >= times) return merges.build(...asked);
            hung += 1;
            return new Promise<never>(() => {});
          },
        },
      };
      return { ok: true, value };
    },
  };
}

async function runWith(rig: EngineRig, repositories: Repositories): Promise<void> {
  const services = { ...rig.services, repositories };
  const engine = await startLocalEngine(services, rig.env, 'http://127.0.0.1:9', ['true']);
  onTestFinished(() => engine.stop({ agents: true }));
}

test('GT-169 KG-85 a queue that hangs is started again, with one alert, and lands', async () => {
  const rig = await engineRig({ workspace: { watchdog: '3s', notify: ['me'] } });
  rig.config((config) => {
    Object.assign(config, { notify: { me: { sink: 'inbox' } } });
  });
  const task = await rig.task('One');
  const convoy = await rig.launch(task);
  const repositories = hanging(rig.services.repositories, 2);
  await runWith(rig, repositories);
  const landed = await rig.settled(convoy, 'landed');
  expect(repositories.hung()).toBe(2);
  expect(landed.landings).toHaveLength(1);
  expect(await rig.changes(task)).toMatchObject([{ status: 'merged' }]);
  const told = (await outbox(rig.services.ledger.db, { limit: 100 })).filter(
    ({ kind, subject }) => kind === 'stalled' && subject.startsWith('queue/'),
  );
  // It hung twice in a row, and stood still once.
  expect(told).toHaveLength(1);
  expect(told[0]).toMatchObject({ title: expect.stringContaining('has not moved') });
  await rig.until('recovered', async () => {
    const { queues } = await rig.call(listQueue, { query: {} });
    return queues.every(({ stalled_since: since }) => since === null) || null;
  });
});

test('a paused queue is no reason for an alert', async () => {
  const rig = await engineRig({
    workspace: { watchdog: '1ms' },
    gates: [{ name: 'test', run: 'exit 127' }],
  });
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  await rig.settled(convoy, 'stalled');
  const { queues } = await rig.call(listQueue, { query: {} });
  expect(queues.filter(({ paused }) => paused)).toHaveLength(1);
  expect(queues.every(({ stalled_since: since }) => since === null)).toBe(true);
});
