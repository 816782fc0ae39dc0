import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { localLogs } from '../../src/adapters/executor/log-store.ts';
import { listNotifications } from '../../src/contract/routes/notifications.ts';
import { realTimers } from '../../src/daemon/timers.ts';
import { sweep } from '../../src/engine/retention.ts';
import { type EngineRig, engineRig } from './rig.ts';

const DAY = 86_400_000;

const tidy = async (rig: EngineRig, afterDays: number): ReturnType<typeof sweep> =>
  sweep({
    ledger: rig.services.ledger,
    settings: rig.services.settings,
    executor: await rig.services.executor(),
    logs: localLogs(rig.path('.convoy', 'logs')),
    timers: realTimers,
    now: () => Date.now() + afterDays * DAY,
    log: () => {},
  });

const folder = (rig: EngineRig, name: string): string => rig.path('.convoy', 'logs', name);

test('logs and notices of finished work go after a while, those of open work stay', async () => {
  const rig = await engineRig({
    workspace: { attempts: 1 },
    scripts: [
      { when: { title: 'Bad' }, steps: [{ do: 'crash' }] },
      { steps: [{ do: 'write', path: 'a.txt', content: 'a' }] },
    ],
  });
  const good = await rig.task('Good');
  const bad = await rig.task('Bad');
  const landed = await rig.launch(good);
  const stalled = await rig.launch(bad);
  rig.start();
  await rig.settled(landed, 'landed');
  await rig.settled(stalled, 'stalled');
  const subjects = async (): Promise<Set<string>> => {
    const { notifications } = await rig.call(listNotifications, {});
    return new Set(notifications.map(({ subject }) => subject));
  };
  await rig.until('told', async () => (await subjects()).size === 2);
  await rig.stop();
  const [over] = await rig.attempts(good);
  const [open] = await rig.attempts(bad);
  expect(await tidy(rig, 29)).toEqual({ logs: [], notifications: 0 });
  const swept = await tidy(rig, 31);
  expect(swept.logs).toContain(over?.id);
  expect(swept.notifications).toBeGreaterThan(0);
  expect(existsSync(folder(rig, over?.id ?? ''))).toBe(false);
  expect(existsSync(folder(rig, open?.id ?? ''))).toBe(true);
  expect(await subjects()).toEqual(new Set([`convoy/${stalled}`]));
});

test('what takes too much room goes, the oldest first; strange folders are left alone', async () => {
  const rig = await engineRig();
  rig.config((config) => {
    config.retention = { gb: 0.000_002 };
  });
  for (const [name, age] of [
    ['at-old', 3],
    ['at-new', 1],
    ['.mine', 9],
  ] as const) {
    mkdirSync(folder(rig, name), { recursive: true });
    const file = `${folder(rig, name)}/out.log`;
    writeFileSync(file, 'x'.repeat(1500));
    const then = new Date(Date.now() - age * DAY);
    utimesSync(file, then, then);
    utimesSync(folder(rig, name), then, then);
  }
  expect((await tidy(rig, 0)).logs).toEqual(['at-old']);
  expect(existsSync(folder(rig, 'at-new'))).toBe(true);
  expect(existsSync(folder(rig, '.mine'))).toBe(true);
});
