import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { stringify } from 'smol-toml';
import { callDirectly } from '../../src/api/direct.ts';
import type { Services } from '../../src/api/context.ts';
import { environment } from '../../src/config/environment.ts';
import type { AnyRoute, BodyOf, CallOf, OutputOf } from '../../src/contract/route.ts';
import { launchConvoy, showConvoy } from '../../src/contract/routes/convoys.ts';
import { addDependency, createTask, showTask } from '../../src/contract/routes/tasks.ts';
import type { ConvoyJson } from '../../src/contract/schemas/convoy.ts';
import { localOperator } from '../../src/daemon/local-operator.ts';
import { startLocalEngine } from '../../src/daemon/engine.ts';
import { openServices } from '../../src/daemon/services.ts';
import type { Change } from '../../src/domain/merge/change.ts';
import type { Attempt } from '../../src/domain/work/attempt.ts';
import type { Engine } from '../../src/engine/engine.ts';
import { attemptsOf } from '../../src/ledger/queries/attempts.ts';
import { changesOf, changesOfConvoy } from '../../src/ledger/queries/changes.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';

/** One step of a scripted agent; script.ts knows them all. */
export type Play = { readonly do: string; readonly [detail: string]: unknown };
export type Script = { readonly when?: Record<string, unknown>; readonly steps: readonly Play[] };

export type Wish = {
  readonly scripts?: readonly Script[];
  readonly gates?: readonly Record<string, unknown>[];
  readonly workspace?: Record<string, unknown>;
  readonly budget?: Record<string, number>;
  readonly agent?: Record<string, unknown>;
  readonly agents?: Record<string, Record<string, unknown>>;
  readonly repo?: Record<string, unknown>;
  /** Names of the repositories; the first has the prefix `web`. */
  readonly repos?: readonly string[];
  readonly branch?: string;
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
};

/** A workspace with repositories and a scripted agent, and the engine in this process. */
export type EngineRig = {
  readonly root: string;
  readonly services: Services;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Git as the user runs it, in the first repository. */
  git(...args: string[]): string;
  gitIn(repo: string, ...args: string[]): string;
  path(...parts: string[]): string;
  call<R extends AnyRoute>(route: R, input: CallOf<R>): Promise<OutputOf<R>>;
  task(title: string, more?: Partial<BodyOf<typeof createTask>>): Promise<string>;
  /** The first waits for the others. */
  after(task: string, ...on: string[]): Promise<void>;
  launch(...targets: string[]): Promise<string>;
  start(): void;
  stop(how?: { agents: boolean }): Promise<void>;
  /** Stops, checks the ledger and removes everything. */
  close(): Promise<void>;
  /** Waits, by the change feed, until the answer is neither false nor null. */
  until<T>(what: string, ask: () => Promise<T | false | null>, ms?: number): Promise<T>;
  /** Waits until the convoy has one of the states. */
  settled(convoy: string, ...states: string[]): Promise<ConvoyJson>;
  status(task: string): Promise<string>;
  attempts(task: string): Promise<Attempt[]>;
  changes(of: string): Promise<Change[]>;
  play(scripts: readonly Script[]): void;
  config(change: (config: Config) => void): void;
  prompt(attempt: Attempt): string;
};

export type Config = {
  workspace: Record<string, unknown>;
  budget: Record<string, number>;
  retention?: Record<string, number>;
  agents: Record<string, Record<string, unknown>>;
  repos: Record<string, Record<string, unknown>>;
};

/** Writes one file named after the task and commits it. */
export const WORK: readonly Play[] = [
  { do: 'write', path: 'work/{task_id}.txt', content: '{title}\n' },
  { do: 'commit', message: 'Do {task_id}' },
  { do: 'lie' },
];
export const WORKS: readonly Script[] = [{ steps: WORK }];

const WAIT_MS = 90_000;
const PREFIXES = ['web', 'api', 'lib', 'ops'];

/** Opens one that its caller closes, on the database of that address or on a file of its own. */
export async function openEngineRig(
  wish: Wish = {},
  database: string | null = null,
): Promise<EngineRig> {
  const ground = layOut(wish, database);
  const { root, dir, env } = ground;
  const settings = environment(env);
  if (!settings.ok) throw new Error(settings.error.message);
  const services = await openServices({ root, dir }, env, settings.value, {
    version: 'test',
    instance: 'test',
    engine: true,
    dashboard: null,
  });
  const rig: EngineRig = {
    root,
    env,
    services,
    ...onDisk(ground),
    ...running(services, env, root),
    ...asking(services, (ms) => picture(rig, ms)),
    ...acting(services),
  };
  return rig;
}

type Ground = {
  readonly root: string;
  readonly dir: string;
  readonly env: Record<string, string | undefined>;
  readonly names: readonly string[];
  readonly config: Config;
};

function layOut(wish: Wish, database: string | null): Ground {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'convoy-engine-')));
  const env = {
    ...homeIn(root),
    ...wish.env,
    ...(database === null ? {} : { CONVOY_LEDGER: database }),
  };
  const names = wish.repos ?? ['main'];
  for (const name of names) makeRepo(join(root, name), wish, env);
  const dir = join(root, '.convoy');
  mkdirSync(dir);
  const ground = { root, dir, env, names, config: configOf(wish, names, dir) };
  save(ground);
  onDisk(ground).play(wish.scripts ?? WORKS);
  return ground;
}

const save = ({ dir, config }: Ground): void =>
  writeFileSync(join(dir, 'config.toml'), stringify(config));

function onDisk(
  ground: Ground,
): Pick<EngineRig, 'git' | 'gitIn' | 'path' | 'play' | 'config' | 'prompt'> {
  const { root, dir, env, names } = ground;
  return {
    git: (...args) => git(join(root, names[0] ?? ''), env, args),
    gitIn: (repo, ...args) => git(join(root, repo), env, args),
    path: (...parts) => join(root, ...parts),
    play: (scripts) => writeFileSync(join(dir, 'steps.json'), JSON.stringify({ scripts })),
    config(change) {
      change(ground.config);
      save(ground);
    },
    prompt: ({ id }) => readFileSync(join(dir, 'logs', id, 'prompt.md'), 'utf8'),
  };
}

function running(
  services: Services,
  env: EngineRig['env'],
  root: string,
): Pick<EngineRig, 'start' | 'stop' | 'close'> {
  let engine: Promise<Engine> | null = null;
  const stop: EngineRig['stop'] = async (how) => {
    await (await engine)?.stop(how);
    engine = null;
  };
  return {
    start() {
      engine ??= startLocalEngine(services, env, 'http://127.0.0.1:9', ['true']);
    },
    stop,
    async close() {
      await stop({ agents: true });
      const { problems } = await verifyLedger(services.ledger.db);
      await services.ledger.close();
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
      if (problems.length > 0) throw new Error(`the ledger is broken: ${JSON.stringify(problems)}`);
    },
  };
}

const WHO = { identity: localOperator({ USER: 'test' }, 'process'), csrf: null };

function acting(services: Services): Pick<EngineRig, 'call' | 'task' | 'after' | 'launch'> {
  const call: EngineRig['call'] = async (route, input) => {
    const answer = await callDirectly(route, input, WHO, services);
    if (!answer.ok) throw new Error(JSON.stringify(answer.error));
    return answer.value;
  };
  return {
    call,
    async task(title, more = {}) {
      const { task } = await call(createTask, { body: { title, repo: 'main', ...more } });
      return task.id;
    },
    async after(task, ...on) {
      for (const other of on)
        await call(addDependency, { params: { id: task }, body: { on: other } });
    },
    async launch(...targets) {
      return (await call(launchConvoy, { body: { targets, force: true } })).convoy_id;
    },
  };
}

function asking(
  services: Services,
  inVain: (ms: number) => Promise<string>,
): Pick<EngineRig, 'until' | 'settled' | 'status' | 'attempts' | 'changes'> {
  const { db, changes } = services.ledger;
  const { call } = acting(services);
  const until: EngineRig['until'] = async (what, ask, ms = WAIT_MS) => {
    const late = AbortSignal.timeout(ms);
    for (;;) {
      const change = changes.next(late);
      const answer = await ask();
      if (answer !== false && answer !== null) return answer;
      if (late.aborted) throw new Error(`not ${what}: ${await inVain(ms)}`);
      await change;
    }
  };
  return {
    until,
    settled: (id, ...states) =>
      until(`${id} ${states.join('/')}`, async () => {
        const { convoy } = await call(showConvoy, { params: { id } });
        return states.includes(convoy.status) && convoy;
      }),
    status: async (id) => (await call(showTask, { params: { id } })).task.status,
    attempts: (task) => attemptsOf(db, task),
    changes: (of) => (of.startsWith('cv-') ? changesOfConvoy(db, of) : changesOf(db, of)),
  };
}

function homeIn(root: string): Record<string, string | undefined> {
  const home = join(root, 'home');
  mkdirSync(home);
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n');
  const { PATH } = process.env;
  return { PATH, HOME: home, XDG_CACHE_HOME: join(root, 'cache'), LANG: 'C.UTF-8' };
}

function git(cwd: string, env: Record<string, string | undefined>, args: string[]): string {
  return execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trimEnd();
}

function makeRepo(path: string, wish: Wish, env: Record<string, string | undefined>): void {
  mkdirSync(path);
  git(path, env, ['init', '-q', '-b', wish.branch ?? 'main']);
  for (const [file, content] of Object.entries({ 'README.md': 'hello\n', ...wish.files })) {
    mkdirSync(dirname(join(path, file)), { recursive: true });
    writeFileSync(join(path, file), content);
  }
  git(path, env, ['add', '-A']);
  git(path, env, ['commit', '-q', '-m', 'first']);
}

function configOf(wish: Wish, names: readonly string[], dir: string): Config {
  const script = join(dir, 'steps.json');
  return {
    workspace: { max_parallel: 8, backoff: '50ms', ...wish.workspace },
    budget: { ...wish.budget },
    agents: {
      mine: { adapter: 'scripted', script, ...wish.agent },
      ...Object.fromEntries(
        Object.entries(wish.agents ?? {}).map(([name, more]) => [
          name,
          'adapter' in more ? more : { adapter: 'scripted', script, ...more },
        ]),
      ),
    },
    repos: Object.fromEntries(
      names.map((name, n) => [
        name,
        {
          path: join(dirname(dir), name),
          prefix: PREFIXES[n] ?? `r${n}`,
          agent: 'mine',
          gates: wish.gates ?? [{ name: 'test', run: ['true'] }],
          ...wish.repo,
        },
      ]),
    ),
  };
}

/** What there is, for the message of a wait that was in vain. */
async function picture(rig: EngineRig, ms: number): Promise<string> {
  const parts = [`waited ${ms} ms`];
  for (const table of ['convoy', 'task', 'attempt', 'change'] as const) {
    const rows = await rig.services.ledger.db.selectFrom(table).select('state').execute();
    parts.push(rows.map(({ state }) => state.slice(0, MOST_SHOWN)).join('\n'));
  }
  try {
    parts.push(readFileSync(rig.path('.convoy', 'logs', 'engine.log'), 'utf8').slice(-MOST_SHOWN));
  } catch {
    // No line was written, which is the usual case.
  }
  return parts.join('\n--\n');
}

const MOST_SHOWN = 1500;
