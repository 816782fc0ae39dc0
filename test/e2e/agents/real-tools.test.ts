import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { initWorkspace } from '../../../src/daemon/init.ts';
import { readDaemonFile } from '../../../src/daemon/daemon-file.ts';
import { PRESET_NAMES } from '../../../src/adapters/agents/presets/presets.ts';
import type { Attempt } from '../../../src/domain/work/attempt.ts';
import { type Ledger, openLedger } from '../../../src/ledger/open.ts';
import { attemptsOf } from '../../../src/ledger/queries/attempts.ts';
import { type ModelServer, startModelServer } from '../../fakes/model-server/server.ts';
import { askOver, plainEnv, serve } from '../../identity/rig.ts';
import { BIN, settingsFor } from './real-settings.ts';

const here = PRESET_NAMES.filter((name) => existsSync(join(BIN, name)));
for (const name of PRESET_NAMES.filter((each) => !here.includes(each)))
  // oxlint-disable-next-line vitest/expect-expect -- it is the notice that something is not tried
  test(`${name} calls done where it is installed`, ({ skip }) => {
    skip('not installed here: npm run agents:install');
  });

let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer();
});
afterAll(() => server[Symbol.asyncDispose]());

test.for(here)(
  'a real %s finds the tools of its attempt, says done through them, and its work lands',
  { timeout: 120_000 },
  async (preset) => {
    // One of them refuses to live below the system's folder for temporary files.
    const parent = join(homedir(), '.cache', 'convoy-tests');
    await mkdir(parent, { recursive: true });
    const root = await mkdtemp(join(parent, 'convoy-tools-'));
    const git = (...args: string[]): string =>
      execFileSync('git', ['-c', 'user.name=A', '-c', 'user.email=a@a.invalid', ...args], {
        cwd: root,
        encoding: 'utf8',
      }).trim();
    git('init', '-q', '-b', 'main');
    git('commit', '-q', '--allow-empty', '-m', 'first');
    const temporary = join(root, '.tmp');
    await mkdir(temporary);
    await writeFile(join(root, '.gitignore'), '*\n');
    const url = `${server.url}/s/calls-done~${preset}`;
    const env: Record<string, string> = {
      ...plainEnv(root),
      ...(await settingsFor(preset, root, url)),
      PATH: [BIN, process.env['PATH']].join(delimiter),
      TMPDIR: temporary,
    };
    const wish = { dir: root, env, name: undefined, prefix: 'web', target: undefined };
    const made = await initWorkspace(wish);
    if (!made.ok) throw new Error(made.error.message);
    const dir = join(root, '.convoy');
    await writeFile(
      join(dir, 'config.toml'),
      `[workspace]\nattempts = 1\n
[agents.real]\nadapter = "command"\npreset = "${preset}"\ntimeout = "100s"\n
[repos.main]\npath = "."\nprefix = "web"\ntarget = "main"\nagent = "real"\nmerge_mode = "review-and-merge"\nenv = ["TMPDIR"]\n`,
    );
    const daemon = await serve(root, env, undefined);
    if (!daemon.ok) throw new Error(daemon.error.message);
    const ledger = await openLedger(join(dir, 'ledger.db'), Date.now);
    onTestFinished(async () => {
      await daemon.value.stop();
      await ledger.close();
      await rm(root, { recursive: true, maxRetries: 5 });
    });
    const api = readDaemonFile(dir)?.url ?? '';
    const token = readFileSync(join(dir, 'token'), 'utf8').trim();
    const post = (path: string, body: object) =>
      askOver(api, `/api/v1${path}`, { token, method: 'POST', body });
    const { json } = await post('/tasks', { title: 'Greet' });
    const launched = await post('/launch', { targets: [json.task.id], force: true });
    expect(launched.status).toBe(200);
    const attempt = await ended(ledger, json.task.id);
    expect(attempt).toMatchObject({ status: 'done', saidDone: 'wrote the greeting' });
    const asked = server.asked.filter(({ scenario }) => scenario === `calls-done~${preset}`);
    const offered = new Set(
      asked.flatMap(({ tools }) => tools.filter((name) => /convoy/.test(name))),
    );
    expect([...offered].map((name) => name.replace(/^.*convoy[_/.]+/, '')).toSorted()).toEqual([
      'checkpoint',
      'done',
      'escalate',
      'prime',
      'request_input',
      'status',
    ]);
  },
);

async function ended(ledger: Ledger, task: string): Promise<Attempt> {
  const limit = AbortSignal.timeout(110_000);
  for (;;) {
    const change = ledger.changes.next(limit);
    const [attempt] = await attemptsOf(ledger.db, task);
    if (attempt !== undefined && attempt.endedAt !== null) return attempt;
    await change;
    limit.throwIfAborted();
  }
}
