import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { bundle, type Bundle } from '../bundle.ts';
import { LANDED, makeNotify, type NotifyRig } from './rig.ts';
import { webhookServer } from './webhook-server.ts';

let engine: Bundle;
beforeAll(async () => {
  engine = await bundle(join(import.meta.dirname, 'mortal-engine.ts'));
});
afterAll(() => engine.remove());

const CRASHES = 20;
/** Into the outbox; then claim, send and record for each of two readers. */
const STEPS = 7;
const MINUTE = 60_000;

test('GT-176 twenty engines killed at every step: a command is run at most once, a webhook has everything under one id', async () => {
  const server = await webhookServer();
  const rig = await makeNotify(`
[workspace]
notify = ["shell", "hook"]
[notify.shell]
sink = "command"
command = ["sh", "-c", "cat >> told; echo >> told"]
[notify.hook]
sink = "webhook"
url = "${server.url}"
`);
  const ends: string[] = [];
  for (let crash = 0; crash < CRASHES; crash++) {
    await rig.convoy(`cv-${crash}`);
    await rig.happen(`cv-${crash}`, LANDED);
    const when = crash % 2 === 0 ? 'before' : 'after';
    ends.push(await live(rig, String(crash % STEPS), when, crash * MINUTE));
  }
  expect(ends).toEqual(Array.from({ length: CRASHES }, () => 'SIGKILL'));
  for (let rest = 0; rest < 2; rest++)
    expect(await live(rig, 'none', 'never', (CRASHES + rest) * 60 * MINUTE)).toBe('0');

  const notices = (await rig.entries()).map(({ id }) => id);
  expect(notices).toHaveLength(2 * CRASHES);
  const file = join(rig.dir, 'told');
  const run = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
  const byShell = run.flatMap(noticesIn);
  expect(new Set(byShell).size).toBe(byShell.length);
  const byHook = server.received.flatMap(({ headers, body }) =>
    noticesIn(body).map((notice) => [notice, headers['webhook-id']] as const),
  );
  expect(new Set(byHook.map(([notice]) => notice))).toEqual(new Set(notices));
  expect(new Set(byHook.map((pair) => pair.join(' '))).size).toBe(notices.length);
}, 180_000);

/** Runs one engine and says how it ended. */
async function live(
  { dir, place }: NotifyRig,
  step: string,
  when: string,
  later: number,
): Promise<string> {
  const argv = [engine.file, dir, place, step, when, String(later)];
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'inherit', 'inherit'] });
  const [code, signal] = await once(child, 'exit');
  return String(code ?? signal);
}

/** The notices that a message tells: its own, or those of a digest. */
function noticesIn(message: string): string[] {
  const { id, notifications } = JSON.parse(message);
  return notifications === undefined
    ? [String(id).split('@')[0] ?? '']
    : notifications.map((each: { id: string }) => each.id);
}
