import { execFileSync, spawn, type ChildProcess } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, onTestFinished } from 'vitest';
import { executionsUnder } from '../executions.ts';
import { databaseOfTest, ledgerVariables } from '../postgres/ledger-of-test.ts';

/** What a command left behind. */
export type Ran = {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The one JSON object on stdout; throws when there is anything else. */
  readonly json: Json;
};

// oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers freely
export type Json = any;

type How = { cwd?: string; env?: NodeJS.ProcessEnv };

export type CliRig = {
  readonly root: string;
  /** The user's repository and the directory of the workspace. */
  readonly repo: string;
  readonly env: NodeJS.ProcessEnv;
  /** Where its ledger is: a file or an address. */
  readonly ledger: string;
  git(...args: string[]): string;
  convoy(args: readonly string[], how?: How): Promise<Ran>;
  /** The same with `--json`; the exit code must be 0. */
  ok(args: readonly string[], how?: How): Promise<Json>;
  start(args: readonly string[], how?: How): ChildProcess;
  /** A task's id. */
  task(title: string, ...more: readonly string[]): Promise<string>;
  /** How many events the ledger holds. */
  events(): Promise<number>;
  write(file: string, text: string): void;
  config(): string;
};

const LAUNCHER = resolve('bin/convoy.js');

/** Node itself, so that nothing is started twice. */
export const NODE = process.execPath;

const AGENT = `
[agents.mine]
command = ["true"]
`;

type Wish = { init?: boolean; ready?: boolean; branch?: string; born?: boolean; git?: boolean };

/** A user's machine in a temporary directory: a repository, and a workspace in it unless asked otherwise. */
export async function makeCli(wish: Wish = {}): Promise<CliRig> {
  const database = await databaseOfTest();
  const rig = commandsIn(makeMachine(wish, database));
  if (wish.init !== false) await initialise(rig, wish);
  if (wish.ready === true) {
    const ready = 'agent = "mine"\ngates = [{ name = "test", run = ["true"] }]';
    rig.write('.convoy/config.toml', rig.config().replace('# agent = "mine"', ready) + AGENT);
  }
  return rig;
}

/** What `convoy init` made of an ordinary repository, once for each test file. */
let made: Promise<string> | null = null;
afterAll(async () => {
  if (made !== null) rmSync(await made, { recursive: true });
});

/** A copy of that where nothing about the repository is special; init itself has its own tests. */
async function initialise(rig: CliRig, { branch, born, git }: Wish): Promise<void> {
  const isOrdinary = branch === undefined && born !== false && git !== false;
  if (isOrdinary && made !== null)
    return cpSync(await made, join(rig.repo, '.convoy'), { recursive: true });
  const done = rig.ok(['init']);
  if (isOrdinary) made = done.then(() => kept(join(rig.repo, '.convoy')));
  await (isOrdinary ? made : done);
}

function kept(workspace: string): string {
  const copy = mkdtempSync(join(tmpdir(), 'convoy-made-'));
  cpSync(workspace, copy, { recursive: true });
  return copy;
}

type Place = Pick<CliRig, 'root' | 'repo' | 'env' | 'git' | 'ledger'>;

function makeMachine(wish: Wish, database: string | null): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'convoy-cli-')));
  const repo = join(root, 'web');
  const home = join(root, 'home');
  mkdirSync(home);
  mkdirSync(repo);
  onTestFinished(() => rmSync(root, { recursive: true, force: true, maxRetries: 5 }));
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n');
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: home,
    XDG_CACHE_HOME: join(root, 'cache'),
    USER: 'ada',
    // Any free port: tests run side by side.
    CONVOY_PORT: '0',
    ...ledgerVariables(database),
  };
  const git = (...args: string[]): string =>
    execFileSync('git', args, { cwd: repo, env, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
  if (wish.git !== false) {
    git('init', '--quiet', '-b', wish.branch ?? 'main');
    if (wish.born !== false) git('commit', '--quiet', '--allow-empty', '-m', 'first');
  }
  return { root, repo, env, git, ledger: database ?? join(repo, '.convoy/ledger.db') };
}

function commandsIn(place: Place): CliRig {
  const { repo, env } = place;
  const start = starterIn(place);
  const convoy = async (args: readonly string[], how?: How): Promise<Ran> =>
    ranOf(start(args, how), args);
  const ok = async (args: readonly string[], how?: How): Promise<Json> => {
    const ran = await convoy([...args, '--json'], how);
    if (ran.code !== 0)
      throw new Error(
        `convoy ${args.join(' ')} ended with ${ran.code}: ${ran.stdout}${ran.stderr}`,
      );
    return ran.json;
  };
  return {
    ...place,
    env,
    convoy,
    ok,
    start,
    task: async (title, ...more) => (await ok(['task', 'create', title, ...more])).task.id,
    events: async () => (await ok(['ledger', 'info'])).events,
    write: (file, text) => writeFileSync(join(repo, file), text),
    config: () => readFileSync(join(repo, '.convoy/config.toml'), 'utf8'),
  };
}

/** Starts commands, and ends with the test whatever of them still runs. */
function starterIn({ root, repo, env }: Place): CliRig['start'] {
  const children = new Set<ChildProcess>();
  onTestFinished(() => {
    for (const child of children) child.kill('SIGKILL');
    endDaemon(repo);
    // Agents outlive their engine, also in a test that failed.
    for (const pid of executionsUnder(root)) end(Number(pid));
  });
  return (args, how = {}) => {
    const child = spawn(NODE, [LAUNCHER, ...args], {
      cwd: how.cwd ?? repo,
      env: { ...env, ...how.env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    children.add(child);
    child.once('exit', () => children.delete(child));
    return child;
  };
}

/** Collects what a running command prints until it ends. */
export async function ranOf(child: ChildProcess, args: readonly string[] = []): Promise<Ran> {
  let stdout = '';
  let stderr = '';
  child.stdout?.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr?.on('data', (chunk) => (stderr += String(chunk)));
  const code = await new Promise<number | null>((done, failed) => {
    child.once('error', failed);
    child.once('close', (exit) => done(exit));
  });
  return {
    code,
    stdout,
    stderr,
    get json() {
      try {
        return JSON.parse(stdout);
      } catch {
        throw new Error(`convoy ${args.join(' ')}: stdout is not JSON: ${stdout}${stderr}`);
      }
    },
  };
}

/** Ends the daemon that a test left, by the pid it wrote down. */
function endDaemon(repo: string): void {
  try {
    const { pid } = JSON.parse(readFileSync(join(repo, '.convoy/daemon.json'), 'utf8'));
    process.kill(pid, 'SIGKILL');
  } catch {
    // There is none, or it has ended.
  }
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

/** A few at a time: every core is used and none is flooded. */
export async function inBatches<T>(
  items: readonly T[],
  each: (item: T) => Promise<void>,
): Promise<void> {
  for (let at = 0; at < items.length; at += 3)
    await Promise.all(items.slice(at, at + 3).map((item) => each(item)));
}
