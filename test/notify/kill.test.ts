import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { LANDED, makeNotify } from './rig.ts';
import { webhookServer } from './webhook-server.ts';

const ENGINE = resolve('test/notify/mortal-engine.ts');
const CRASHES = 20;

test('GT-176 one landing, twenty engines killed at every step: a command runs at most once, a webhook has it under one id', async () => {
  const server = await webhookServer();
  const rig = await makeNotify(`
[workspace]
notify = ["shell", "hook"]
[notify.shell]
sink = "command"
command = ["sh", "-c", "echo $CONVOY_NOTIFICATION_ID >> told"]
[notify.hook]
sink = "webhook"
url = "${server.url}"
`);
  await rig.convoy('cv-1');
  await rig.happen('cv-1', LANDED);
  const live = async (step: string, when: string, later: number): Promise<string | null> => {
    const argv = [ENGINE, rig.dir, step, when, String(later)];
    const child = spawn(process.execPath, argv, { stdio: ['ignore', 'inherit', 'inherit'] });
    const [code, signal] = await once(child, 'exit');
    return code === null ? String(signal) : String(code);
  };
  const ends: (string | null)[] = [];
  for (let crash = 0; crash < CRASHES; crash++)
    ends.push(await live(String(crash >> 1), crash % 2 === 0 ? 'before' : 'after', crash * 60_000));
  for (let rest = 0; rest < 2; rest++)
    expect(await live('none', 'never', (CRASHES + rest) * 3_600_000)).toBe('0');
  expect(ends.filter((end) => end === 'SIGKILL').length).toBeGreaterThanOrEqual(5);

  const file = join(rig.dir, 'told');
  const told = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  expect(new Set(told).size).toBe(told.length);
  const ids = server.received.map(({ headers }) => headers['webhook-id']);
  expect([...new Set(ids)].toSorted()).toEqual(['cv-1-landed-0@hook', 'cv-1-launched-0@hook']);
  const states = await rig.states();
  expect(states.filter((state) => state.includes('hook'))).toEqual([
    'cv-1-landed-0 hook delivered',
    'cv-1-launched-0 hook delivered',
  ]);
  for (const state of states.filter((each) => each.includes('shell')))
    expect(state).toMatch(/delivered|unconfirmed/);
});
