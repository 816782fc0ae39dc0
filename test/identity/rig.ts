import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { environment } from '../../src/config/environment.ts';
import { readDaemonFile } from '../../src/daemon/daemon-file.ts';
import type { BindWish } from '../../src/daemon/exposure.ts';
import { initWorkspace } from '../../src/daemon/init.ts';
import { startDaemon } from '../../src/daemon/serve.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { Result } from '../../src/lib/result.ts';
import { type Ledger, openLedger } from '../../src/ledger/open.ts';
import { databaseOfFile, ledgerVariables } from '../postgres/ledger-of-test.ts';

const NODE = resolve('node_modules/.bin/node');

export type Answer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers by hand
  readonly json: any;
};

export type Ask = {
  readonly method?: string;
  readonly token?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
};

export type Rig = {
  readonly root: string;
  readonly url: string;
  readonly operator: string;
  readonly env: Record<string, string>;
  readonly ledger: Ledger;
  ask(path: string, ask?: Ask): Promise<Answer>;
  refusals(): { code: string; status: number; actor: string | null; path: string }[];
  stop(): Promise<void>;
};

/** The environment of a user who has nothing set. */
export const plainEnv = (home: string): Record<string, string> => ({
  PATH: process.env['PATH'] ?? '',
  HOME: home,
  USER: 'ana',
});

export async function makeWorkspace(): Promise<{
  root: string;
  env: Record<string, string>;
  /** Where its ledger is: a file or an address. */
  ledger: string;
}> {
  const database = await databaseOfFile();
  const root = mkdtempSync(join(tmpdir(), 'convoy-id-'));
  execFileSync('git', ['init', '-q', '-b', 'main', root]);
  const env = { ...plainEnv(root), ...ledgerVariables(database) };
  const wish = { dir: root, env, name: undefined, prefix: 'web', target: undefined };
  const made = await initWorkspace(wish);
  if (!made.ok) throw new Error(made.error.message);
  return { root, env, ledger: database ?? join(root, '.convoy', 'ledger.db') };
}

/** A daemon in this process on a free port, asked over a real socket. */
export async function startRig(over: Record<string, string> = {}): Promise<Rig> {
  const { root, env, ledger: place } = await makeWorkspace();
  Object.assign(env, over);
  const dir = join(root, '.convoy');
  const daemon = await serve(root, env, undefined);
  if (!daemon.ok) throw new Error(daemon.error.message);
  const url = readDaemonFile(dir)?.url ?? '';
  const operator = readFileSync(join(dir, 'token'), 'utf8').trim();
  const ledger = await openLedger(place, Date.now);
  return {
    root,
    url,
    operator,
    env,
    ledger,
    ask: (path, ask = {}) => askOver(url, path, { token: operator, ...ask }),
    refusals: () => linesOf(join(dir, 'logs', 'refused.log')),
    async stop() {
      await ledger.close();
      await daemon.value.stop();
      rmSync(root, { recursive: true });
    },
  };
}

export function serve(
  root: string,
  env: Record<string, string>,
  bind: BindWish | undefined,
): Promise<Result<{ url: string; stop(): Promise<void> }, Problem>> {
  const settings = environment(env);
  if (!settings.ok) throw new Error(settings.error.message);
  const place = { root, dir: join(root, '.convoy') };
  return startDaemon(place, env, settings.value, {
    version: '9.9.9',
    port: 0,
    launcher: [NODE, resolve('bin/convoy.js')],
    bind,
  });
}

/** Node's own client: fetch does not let a test lie about its host. */
export function askOver(url: string, path: string, ask: Ask): Promise<Answer> {
  const { method = 'GET', token = null, headers = {}, body } = ask;
  const bodiless = method === 'GET' || method === 'DELETE';
  const sent = body === undefined || bodiless ? null : JSON.stringify(body);
  return new Promise((resolvePromise, reject) => {
    const outgoing = httpRequest(
      url + path,
      {
        method,
        agent: false,
        headers: {
          ...(token === null ? {} : { authorization: `Bearer ${token}` }),
          ...(sent === null ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
      },
      (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('end', () => {
          const text = Buffer.concat(chunks).toString('utf8');
          resolvePromise({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text,
            json: /json/.test(incoming.headers['content-type'] ?? '') ? JSON.parse(text) : null,
          });
        });
      },
    );
    outgoing.on('error', reject);
    outgoing.end(sent);
  });
}

function linesOf(file: string): ReturnType<Rig['refusals']> {
  try {
    const lines = readFileSync(file, 'utf8').trim().split('\n');
    return lines.map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}

/** Runs the real command line in a process of its own. */
export function convoy(
  args: readonly string[],
  place: { cwd: string; env: Record<string, string> },
): Promise<{ code: number; out: string; err: string }> {
  return new Promise((resolvePromise) => {
    const child = spawn(NODE, [resolve('bin/convoy.js'), ...args], { ...place, stdio: 'pipe' });
    let [out, err] = ['', ''];
    child.stdin.end();
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    child.on('close', (code) => resolvePromise({ code: code ?? -1, out, err }));
  });
}
