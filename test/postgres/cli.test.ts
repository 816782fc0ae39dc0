import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createDatabase, hasPostgres } from './database.ts';
import { startPostgres } from './server.ts';

const CONVOY = resolve('bin/convoy.js');
/** Less than the quarter of a minute after which a follower looks by itself. */
const SILENCE_MS = 12_000;

describe.skipIf(!hasPostgres())('the command line on Postgres', () => {
  test('a workspace lives in the database that CONVOY_LEDGER names, with and without an engine', async () => {
    const { convoy, json, follow, dir, url } = await workspace();
    convoy('init', '--prefix', 'web');
    expect(existsSync(join(dir, '.convoy', 'ledger.db'))).toBe(false);
    const followed = follow();

    const task = json('task', 'create', 'Sell hats') as { task: { id: string } };
    const staged = json('stage', task.task.id) as { convoy: { id: string } | null };
    expect(staged.convoy).not.toBeNull();
    // Another process hears of it, in order and without an engine.
    expect(await followed.next()).toMatchObject({ seq: 1, subject: `task/${task.task.id}` });
    expect(await followed.next()).toMatchObject({ seq: 2, kind: 'convoy-created' });

    convoy('up', '--detach', '--port', '0');
    const { pid } = JSON.parse(readFileSync(join(dir, '.convoy', 'daemon.json'), 'utf8')) as {
      pid: number;
    };
    onTestFinished(() => {
      if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL');
    });
    const second = json('task', 'create', 'Sell gloves') as { task: { id: string } };
    expect(await followed.until(`task/${second.task.id}`)).toMatchObject({ kind: 'task-created' });
    expect(json('ledger', 'info')).toMatchObject({
      engine: 'postgres',
      location: url.replace(/\/\/.*@/, '//'),
      tasks: 2,
    });
    convoy('down');
    expect(json('ledger', 'verify')).toMatchObject({ ok: true, problems: [] });
    expect(json('task', 'list')).toMatchObject({ tasks: [task.task, second.task].map(idOnly) });
  });

  test('a server that does not answer is named, and nothing is made up', async () => {
    const { run, dir } = await workspace('postgres://me:hunter2@127.0.0.1:1/none');
    const { status, stdout } = run('init', '--json');
    expect(status).toBe(1);
    expect(JSON.parse(stdout)).toMatchObject({ error: UNAVAILABLE('postgres://127.0.0.1:1/none') });
    expect(stdout).not.toContain('hunter2');
    expect(existsSync(join(dir, '.convoy', 'config.toml'))).toBe(false);
  });

  test('a server that goes away is unavailable to the API, the command line and an engine', async () => {
    const server = await startPostgres();
    if (server === null) throw new Error('There was a server a moment ago');
    onTestFinished(() => server.stop());
    const url = server.url('postgres');
    const place = url.replace(/\/\/.*@/, '//');
    const { convoy, run, dir } = await workspace(url);
    convoy('init', '--prefix', 'web');
    convoy('task', 'create', 'Sell hats');
    convoy('up', '--detach', '--port', '0');
    const daemon = JSON.parse(readFileSync(join(dir, '.convoy', 'daemon.json'), 'utf8')) as {
      pid: number;
      url: string;
    };
    onTestFinished(() => {
      if (existsSync(`/proc/${daemon.pid}`)) process.kill(daemon.pid, 'SIGKILL');
    });
    await server.stop();

    const token = readFileSync(join(dir, '.convoy', 'token'), 'utf8').trim();
    const answer = await fetch(`${daemon.url}/api/v1/tasks`, {
      headers: { authorization: `Bearer ${token}` },
    });
    expect([answer.status, await answer.json()]).toMatchObject([503, UNAVAILABLE(place)]);
    const through = run('task', 'create', 'Sell gloves', '--json');
    expect([through.status, JSON.parse(through.stdout)]).toMatchObject([
      1,
      { error: UNAVAILABLE(place) },
    ]);
    process.kill(daemon.pid, 'SIGKILL');
    const alone = run('task', 'list');
    expect(alone.status).toBe(1);
    expect(alone.stderr).toContain(`CONVOY_LEDGER is ${place}`);
  });
});

const UNAVAILABLE = (place: string) => ({
  code: 'ledger_unavailable',
  message: `The ledger at ${place} does not answer.`,
  remedy: expect.stringContaining(`CONVOY_LEDGER is ${place} `),
});

const idOnly = ({ id }: { id: string }): { id: string } => ({ id });

type Ended = { status: number | null; stdout: string; stderr: string };

type Followed = {
  next(): Promise<unknown>;
  until(subject: string): Promise<unknown>;
};

async function workspace(address?: string): Promise<{
  dir: string;
  url: string;
  run: (...args: string[]) => Ended;
  convoy: (...args: string[]) => string;
  json: (...args: string[]) => unknown;
  follow: () => Followed;
}> {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const dir = mkdtempSync(join(tmpdir(), 'convoy-cli-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const url = address ?? database.url;
  const env = { PATH: process.env['PATH'], HOME: dir, CONVOY_LEDGER: url, NO_COLOR: '1' };
  execFileSync('git', ['init', '--quiet', '-b', 'main', dir], { env });
  const run = (...args: string[]): Ended =>
    spawnSync(process.execPath, ['--no-warnings', CONVOY, ...args], {
      cwd: dir,
      env,
      encoding: 'utf8',
    });
  const convoy = (...args: string[]): string => {
    const { status, stdout, stderr } = run(...args);
    if (status !== 0) throw new Error(`convoy ${args.join(' ')}: ${stdout}${stderr}`);
    return stdout;
  };
  return {
    dir,
    url,
    run,
    convoy,
    json: (...args) => JSON.parse(convoy(...args, '--json')),
    follow: () => followEvents(dir, env),
  };
}

function followEvents(dir: string, env: NodeJS.ProcessEnv): Followed {
  const child = spawn(process.execPath, ['--no-warnings', CONVOY, 'events', '-f', '--json'], {
    cwd: dir,
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, 'exit');
    child.kill('SIGKILL');
    await gone;
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const next = async (): Promise<unknown> => {
    const line = await Promise.race([lines.next(), pause(SILENCE_MS, null, { ref: false })]);
    if (line === null) throw new Error('The feed was silent');
    if (line.done === true) throw new Error('The feed ended');
    return JSON.parse(line.value) as unknown;
  };
  return {
    next,
    until: async (subject) => {
      for (;;) {
        const event = await next();
        if (Object(event).subject === subject) return event;
      }
    },
  };
}
