import { spawn } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBrowser } from '../../src/cli/run/open-browser.ts';
import { ledgerDump } from '../ledger-dump.ts';
import { askOver, convoy, makeWorkspace } from './rig.ts';

let root: string;
let env: Record<string, string>;
let ledger: string;
const place = (): { cwd: string; env: Record<string, string> } => ({ cwd: root, env });

beforeAll(async () => {
  ({ root, env, ledger } = await makeWorkspace());
  const up = await convoy(['up', '--detach', '--port', '0', '--json'], place());
  if (up.code !== 0) throw new Error(up.out + up.err);
});
afterAll(async () => {
  await convoy(['down'], place());
  rmSync(root, { recursive: true });
});

const json = async (...args: string[]) =>
  JSON.parse((await convoy([...args, '--json'], place())).out);

test('no secret is left in a log, the ledger, an error, a process list or an address', async () => {
  const { url, pid } = JSON.parse(readFileSync(join(root, '.convoy', 'daemon.json'), 'utf8'));
  const operator = readFileSync(join(root, '.convoy', 'token'), 'utf8').trim();
  expect(statSync(join(root, '.convoy', 'token')).mode & 0o777).toBe(0o600);
  const task = (await json('task', 'create', 'Mine')).task.id;
  const made = await json('token', 'create', '--role', 'worker', '--for', `task:${task}`);
  const shown = await convoy(['token', 'create', '--name', 'wall', '--expires', '7d'], place());
  const wall = shown.out.trim();
  expect(wall).toMatch(/^cvy_[\w-]{43}$/);
  const login = (await json('open', task)).url;
  const code = new URL(login).searchParams.get('code') ?? '';
  const into = await askOver(url, login.slice(url.length), {});
  const cookie = String(into.headers['set-cookie']).split(';')[0] ?? '';
  const session = cookie.slice(cookie.indexOf('=') + 1);
  expect(String(into.headers['location'])).toBe(`/tasks/${task}`);
  // Everything that a secret could leak by going wrong.
  const said: string[] = [shown.err];
  for (const [token, path] of [
    [made.secret, '/api/v1/convoys'],
    [wall, '/api/v1/tokens'],
    [`${operator}x`, '/api/v1/tasks'],
    [session, `/api/v1/${wall}`],
    [code, `/login?code=${code}`],
  ])
    said.push((await askOver(url, path, { token })).text);
  const secrets = { operator, worker: made.secret, wall, session, code };
  const processes = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(commandLine)
    .join('\n');
  expect(processes).toContain('convoy.js');
  const places: Record<string, string> = {
    processes,
    environment: environmentOf(pid),
    answers: said.join('\n'),
    ledger: await ledgerDump(ledger),
    ...filesBelow(join(root, '.convoy')),
  };
  delete places['token'];
  expect(places['ledger']).toContain(task);
  expect(Object.keys(places)).toEqual(
    expect.arrayContaining(['logs/refused.log', 'logs/daemon.log', 'daemon.json']),
  );
  const leaks = Object.entries(secrets).flatMap(([name, secret]) =>
    Object.entries(places)
      .filter(([, text]) => text.includes(secret))
      .map(([where]) => `${name} in ${where}`),
  );
  expect(leaks).toEqual([]);
});

const commandLine = (pid: string): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return '';
  }
};

const environmentOf = (pid: number): string => readFileSync(`/proc/${pid}/environ`, 'latin1');

function filesBelow(dir: string): Record<string, string> {
  const names = readdirSync(dir, { recursive: true, encoding: 'utf8' });
  const files = names.filter((name) => statSync(join(dir, name)).isFile());
  return Object.fromEntries(files.map((name) => [name, readFileSync(join(dir, name), 'latin1')]));
}

test('with CONVOY_TOKEN the command line is that token and never opens the ledger', async () => {
  const { url } = JSON.parse(readFileSync(join(root, '.convoy', 'daemon.json'), 'utf8'));
  const [mine, theirs] = [
    (await json('task', 'create', 'Own')).task.id,
    (await json('task', 'create', 'Other')).task.id,
  ];
  const wish = ['token', 'create', '--role', 'worker', '--for', 'attempt:a9', '--task', mine];
  const { secret } = await json(...wish);
  const agent = { cwd: root, env: { ...env, CONVOY_TOKEN: secret, CONVOY_URL: url } };
  const own = await convoy(['task', 'show', mine, '--json'], agent);
  expect(JSON.parse(own.out).task.id).toBe(mine);
  const other = await convoy(['task', 'show', theirs, '--json'], agent);
  expect([other.code, JSON.parse(other.out).error.code]).toEqual([1, 'not_your_task']);
  const list = await convoy(['task', 'list', '--json'], agent);
  expect([list.code, JSON.parse(list.out).error.code]).toEqual([1, 'role_not_allowed']);
  for (const word of ['down', 'up']) {
    const ran = await convoy([word, '--json'], agent);
    expect([word, ran.code, JSON.parse(ran.out).error.code]).toEqual([word, 1, 'token_only']);
  }
  const refused = readFileSync(join(root, '.convoy', 'logs', 'refused.log'), 'utf8');
  expect(refused).toContain('"actor":"worker:a9"');
  // Beside the workspace, where a look at its ledger would fail or leave something behind.
  const elsewhere = join(root, 'elsewhere', '.convoy');
  mkdirSync(elsewhere, { recursive: true });
  const blind = {
    cwd: join(root, 'elsewhere'),
    env: { ...agent.env, CONVOY_LEDGER: join(elsewhere, 'ledger.db') },
  };
  expect((await convoy(['task', 'show', mine], blind)).code).toBe(0);
  expect(readdirSync(elsewhere)).toEqual([]);
  const without = { cwd: root, env: { ...env, CONVOY_TOKEN: secret } };
  const lost = await convoy(['task', 'show', mine, '--json'], without);
  expect([lost.code, JSON.parse(lost.out).error.code]).toEqual([2, 'no_url']);
});

test('what is not a span of time, and a bound role without its subject, are usage errors', async () => {
  const bad = await convoy(['token', 'create', '--expires', 'soon'], place());
  expect([bad.code, bad.err]).toEqual([2, expect.stringContaining('30d')]);
  const loose = await convoy(['token', 'create', '--role', 'worker', '--json'], place());
  expect([loose.code, JSON.parse(loose.out).error.code]).toEqual([2, 'subject_needed']);
  const lost = ['token', 'create', '--role', 'worker', '--for', 'task:web-none'];
  expect((await convoy(lost, place())).code).toBe(3);
  expect((await convoy(['token', 'revoke', 'nobody'], place())).code).toBe(3);
});

test('convoy open hands the browser a private file, never the address itself', async () => {
  const taken = join(root, 'argv');
  const browser = join(root, 'browser.sh');
  writeFileSync(
    browser,
    `#!/bin/sh\nprintf '%s' "$1" > ${taken}.part && mv ${taken}.part ${taken}\n`,
  );
  chmodSync(browser, 0o755);
  expect(await openBrowser('http://127.0.0.1:1/login?code=c&to=%2F', { BROWSER: browser })).toBe(
    true,
  );
  await until(() => readdirSync(root).includes('argv'));
  const file = new URL(readFileSync(taken, 'utf8'));
  expect(file.href).not.toContain('code=');
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect(readFileSync(file, 'utf8')).toContain('url=http://127.0.0.1:1/login?code=c&amp;to=%2F');
  rmSync(resolve(file.pathname, '..'), { recursive: true });
  expect(await openBrowser('http://x', { BROWSER: join(root, 'missing') })).toBe(false);
});

/** Looks again until it is so; the test's own time limit ends a wait that is in vain. */
async function until(isSo: () => boolean): Promise<void> {
  while (!isSo())
    await new Promise((done) => {
      spawn('true').on('close', done);
    });
}
