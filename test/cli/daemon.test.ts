import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished, test, vi } from 'vitest';
import { detachDaemon } from '../../src/daemon/up.ts';
import { type CliRig, type Json, makeCli } from './rig.ts';

const daemonFile = (rig: CliRig): Json =>
  JSON.parse(readFileSync(join(rig.repo, '.convoy/daemon.json'), 'utf8'));
const tokenOf = (rig: CliRig): string =>
  readFileSync(join(rig.repo, '.convoy/token'), 'utf8').trim();

/** Node's own client, because fetch does not let a test choose the Host. */
function get(
  url: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: Json }> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { headers, agent: false }, (incoming) => {
      let text = '';
      incoming.on('data', (chunk) => (text += String(chunk)));
      incoming.on('end', () =>
        resolve({ status: incoming.statusCode ?? 0, body: JSON.parse(text) }),
      );
    });
    outgoing.on('error', reject);
    outgoing.end();
  });
}

test('up --detach writes daemon.json and returns when it answers; a second up says so; down ends it', async () => {
  const rig = await makeCli();
  const up = await rig.ok(['up', '--detach']);
  expect(up).toMatchObject({ schema: 'convoy.v1', already: false });
  const file = daemonFile(rig);
  expect(file).toEqual({
    pid: up.pid,
    url: up.url,
    start_time: expect.any(Number),
    instance: expect.stringMatching(/^[0-9a-f-]{36}$/),
  });
  const health = await get(`${up.url}/api/v1/health`);
  expect(health.body).toMatchObject({ ok: true, instance: file.instance, engine: true });
  expect(await rig.ok(['up', '--detach'])).toMatchObject({ already: true, pid: up.pid });
  expect(await rig.ok(['up'])).toMatchObject({ already: true, pid: up.pid });
  expect((await rig.ok(['status'])).dashboard).toBe(up.url);
  expect((await rig.convoy(['status'])).stdout).toContain(`Dashboard: ${up.url}`);
  expect(await rig.ok(['down'])).toMatchObject({ stopped: up.pid });
  expect(existsSync(join(rig.repo, '.convoy/daemon.json'))).toBe(false);
  expect(await rig.ok(['down'])).toMatchObject({ stopped: null });
  expect((await rig.ok(['status'])).dashboard).toBeNull();
});

test('a Node that does not know an option of ours starts the daemon without it', async () => {
  const rig = await makeCli();
  const picky = join(rig.repo, '../picky');
  const convoy = fileURLToPath(new URL('../../bin/convoy.js', import.meta.url));
  const refuses = 'case "$1" in --*) echo "bad option: $1"; exit 9;; esac';
  writeFileSync(picky, `#!/bin/sh\n${refuses}\nexec '${process.execPath}' '${convoy}' "$@"\n`);
  chmodSync(picky, 0o755);
  const wish = { dir: rig.repo, env: rig.env, port: 0, version: '0', launcher: [picky] } as const;
  const up = await detachDaemon(wish);
  expect(up).toMatchObject({ ok: true, value: { already: false } });
  expect(readFileSync(join(rig.repo, '.convoy/logs/daemon.log'), 'utf8')).toContain('bad option');
  expect(await rig.ok(['down'])).toMatchObject({ stopped: up.ok && up.value.pid });
});

test('commands through the daemon do what they do without it', async () => {
  const rig = await makeCli();
  const before = await rig.task('before');
  await rig.ok(['up', '--detach']);
  const through = await rig.task('through', '--parent', before);
  expect(through).toBe(`${before}.1`);
  const bad = await rig.convoy(['task', 'dep', 'add', before, before, '--json']);
  expect([bad.code, bad.json.error.code]).toEqual([1, 'self_dependency']);
  const long = await rig.convoy(['task', 'create', 'x'.repeat(501), '--json']);
  expect([long.code, long.json.error.code]).toEqual([2, 'invalid_request']);
  const missing = await rig.convoy(['stage', 'web-zzzz', '--json']);
  expect([missing.code, missing.json.errors[0].code]).toEqual([3, 'missing_task']);
  await rig.ok(['down']);
  expect((await rig.ok(['task', 'show', through])).task.title).toBe('through');
  expect((await rig.ok(['ledger', 'verify'])).ok).toBe(true);
});

test('a wrong token is 401, a foreign host or origin 403; health and openapi.json need none', async () => {
  const rig = await makeCli();
  const { url } = await rig.ok(['up', '--detach']);
  const good = { authorization: `Bearer ${tokenOf(rig)}` };
  const tasks = `${url}/api/v1/tasks`;
  const answers = [
    await get(tasks, good),
    await get(tasks),
    await get(tasks, { authorization: 'Bearer nope' }),
    await get(tasks, { ...good, host: 'evil.example' }),
    await get(tasks, { ...good, origin: 'https://evil.example' }),
    await get(tasks, { ...good, origin: url }),
    await get(`${url}/api/v1/health`),
    await get(`${url}/api/v1/health`, { host: 'evil.example' }),
    await get(`${url}/openapi.json`),
    await get(`${url}/api/v1/nothing`, good),
  ];
  expect(answers.map(({ status }) => status)).toEqual([
    200, 401, 401, 403, 403, 200, 200, 403, 200, 404,
  ]);
  expect(answers[1]?.body).toMatchObject({ code: 'no_token', remedy: expect.any(String) });
  expect(answers[8]?.body).toMatchObject({ openapi: '3.1.0' });
  expect(Object.keys(answers[8]?.body.paths)).toContain('/api/v1/stage');
});

test('a client that looks for another workspace at this address is sent away', async () => {
  const rig = await makeCli();
  const { url } = await rig.ok(['up', '--detach']);
  const headers = { authorization: `Bearer ${tokenOf(rig)}`, 'x-convoy-instance': 'another' };
  expect(await get(`${url}/api/v1/tasks`, headers)).toMatchObject({
    status: 503,
    body: { code: 'wrong_instance' },
  });
});

test('when the usual port is taken a free one is used and named; an insisted one is a conflict', async () => {
  const rig = await makeCli();
  const squatter = createServer().listen(0, '127.0.0.1');
  await once(squatter, 'listening');
  onTestFinished(() => void squatter.close());
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has such an address
  const { port } = squatter.address() as AddressInfo;
  const refused = await rig.convoy(['up', '--port', String(port), '--json']);
  expect(refused.code).toBe(4);
  expect(refused.json.error).toMatchObject({ code: 'port_taken' });
  const up = await rig.ok(['up', '--detach'], { env: { CONVOY_PORT: String(port) } });
  expect(up.url).not.toBe(`http://127.0.0.1:${port}`);
  expect((await get(`${up.url}/api/v1/health`)).status).toBe(200);
});

test('after kill -9 of the daemon commands work in process, and up works again at once', async () => {
  const rig = await makeCli();
  const first = await rig.ok(['up', '--detach']);
  const id = await rig.task('before');
  process.kill(first.pid, 'SIGKILL');
  expect((await rig.ok(['task', 'show', id])).task.title).toBe('before');
  await rig.task('between');
  const second = await rig.ok(['up', '--detach']);
  expect(second).toMatchObject({ already: false });
  expect(second.pid).not.toBe(first.pid);
  expect((await rig.ok(['task', 'list'])).tasks).toHaveLength(2);
});

test('two ups at once: one daemon, and both know its address', async () => {
  const rig = await makeCli();
  const [one, two] = await Promise.all([rig.ok(['up', '--detach']), rig.ok(['up', '--detach'])]);
  expect(one.url).toBe(two.url);
  expect(one.pid).toBe(two.pid);
});

test('SIGTERM to the daemon ends it cleanly', async () => {
  const rig = await makeCli();
  const child = rig.start(['up', '--json']);
  const { pid } = JSON.parse(await lineOf(child.stdout!));
  process.kill(pid, 'SIGTERM');
  const [code] = await once(child, 'exit');
  expect(code).toBe(130);
  expect(existsSync(join(rig.repo, '.convoy/daemon.json'))).toBe(false);
});

test.each(['with a daemon', 'without a daemon'])(
  'events -f %s delivers what another process writes within a second, and resumes by sequence',
  async (mode) => {
    const rig = await makeCli();
    const first = await rig.task('first');
    if (mode === 'with a daemon') await rig.ok(['up', '--detach']);
    const child = rig.start(['events', '-f', '--json']);
    const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
    const next = async (): Promise<Json> => JSON.parse(String((await lines.next()).value));
    expect(await next()).toMatchObject({ kind: 'task-created', subject: `task/${first}` });
    const second = await rig.task('second');
    const written = performance.now();
    const event = await next();
    expect(performance.now() - written).toBeLessThan(10_000);
    expect(event).toMatchObject({ kind: 'task-created', subject: `task/${second}` });
    child.kill('SIGINT');
    await once(child, 'exit');
    await rig.task('third');
    const rest = await rig.convoy(['events', '--after', String(event.seq), '--json']);
    const seen = rest.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(seen.map(({ seq }: Json) => seq)).toEqual([event.seq + 1]);
    expect(Object.keys(seen[0])).toEqual(
      expect.arrayContaining(['seq', 'at', 'kind', 'subject', 'actor', 'data']),
    );
  },
);

test('events -f goes on after the daemon was replaced, without losing or repeating one', async () => {
  const rig = await makeCli();
  const { pid } = await rig.ok(['up', '--detach']);
  const child = rig.start(['events', '-f', '--json']);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const first = await rig.task('first');
  expect(JSON.parse(String((await lines.next()).value)).subject).toBe(`task/${first}`);
  process.kill(pid, 'SIGKILL');
  const between = await rig.task('between');
  await rig.ok(['up', '--detach']);
  expect(JSON.parse(String((await lines.next()).value)).subject).toBe(`task/${between}`);
  const after = await rig.task('after');
  expect(JSON.parse(String((await lines.next()).value)).subject).toBe(`task/${after}`);
});

async function lineOf(stream: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error('It ended without a word');
}

test('CONVOY_TOKEN and CONVOY_URL act from anywhere as that token and nothing more', async () => {
  const rig = await makeCli();
  const id = await rig.task('here');
  const { url } = await rig.ok(['up', '--detach']);
  const from = (env: Record<string, string>): { cwd: string; env: Record<string, string> } => ({
    cwd: rig.root,
    env,
  });
  const shown = await rig.ok(
    ['task', 'show', id],
    from({ CONVOY_TOKEN: tokenOf(rig), CONVOY_URL: url }),
  );
  expect(shown.task.id).toBe(id);
  const wrong = await rig.convoy(
    ['task', 'show', id, '--json'],
    from({ CONVOY_TOKEN: 'nope', CONVOY_URL: url }),
  );
  expect([wrong.code, wrong.json.error.code]).toEqual([1, 'token_unknown']);
  const lost = await rig.convoy(['task', 'show', id, '--json'], from({ CONVOY_TOKEN: 'nope' }));
  expect([lost.code, lost.json.error.code]).toEqual([2, 'no_url']);
});

test('a daemon whose workspace was deleted ends by itself', async () => {
  const rig = await makeCli();
  const { pid } = await rig.ok(['up', '--detach']);
  onTestFinished(() => void (isAlive(pid) && process.kill(pid, 'SIGKILL')));
  rmSync(join(rig.repo, '.convoy'), { recursive: true });
  await vi.waitUntil(() => !isAlive(pid), { timeout: 40_000, interval: 100 });
  expect(isAlive(pid)).toBe(false);
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
