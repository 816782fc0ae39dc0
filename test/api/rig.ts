import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished } from 'vitest';
import { localExecutor } from '../../src/adapters/executor/local.ts';
import { openRepository } from '../../src/adapters/git/open.ts';
import { createApp } from '../../src/api/app.ts';
import type { Services } from '../../src/api/context.ts';
import type { Client } from '../../src/client/client.ts';
import { localOperator } from '../../src/daemon/local-operator.ts';
import { clientOver } from '../../src/client/http-client.ts';
import { openSettings } from '../../src/config/store.ts';
import type { Problem } from '../../src/contract/problem.ts';
import type { AnyRoute, CallOf, OutputOf } from '../../src/contract/route.ts';
import { stageConvoy } from '../../src/contract/routes/convoys.ts';
import { ledgerInfo, verifyLedger } from '../../src/contract/routes/system.ts';
import { addDependency, createTask } from '../../src/contract/routes/tasks.ts';
import type { StageReport } from '../../src/contract/schemas/stage.ts';
import { openLedger } from '../../src/ledger/open.ts';
import type { Result } from '../../src/lib/result.ts';
import type { Machine } from '../../src/ports/machine.ts';
import { placeOfTest } from '../postgres/ledger-of-test.ts';

type NewTask = NonNullable<CallOf<typeof createTask>['body']>;
type NewEdge = NonNullable<CallOf<typeof addDependency>['body']>;
type Stage = NonNullable<CallOf<typeof stageConvoy>['body']>;

export type ApiRig = {
  readonly services: Services;
  readonly repo: string;
  git(...args: string[]): string;
  /** Any route; every answer is held against the contract. */
  call<R extends AnyRoute>(route: R, input: CallOf<R>): Promise<Result<OutputOf<R>, Problem>>;
  /** The answer of a call that must succeed. */
  ask<R extends AnyRoute>(route: R, input: CallOf<R>): Promise<OutputOf<R>>;
  /** The problem of a call that must be refused, and that wrote nothing. */
  refusal<R extends AnyRoute>(route: R, input: CallOf<R>): Promise<Problem>;
  task(title: string, more?: Partial<NewTask>): Promise<string>;
  epic(title: string, parent?: string): Promise<string>;
  /** Lets the first wait for the second. */
  after(task: string, on: string, more?: Partial<NewEdge>): Promise<void>;
  stage(targets: readonly string[], more?: Partial<Stage>): Promise<StageReport>;
  events(): Promise<number>;
  verified(): Promise<boolean>;
  /** The clock stands still until it is moved. */
  pass(milliseconds: number): void;
  raw(path: string, init?: RequestInit): Promise<Response>;
};

export const READY = `
[workspace]
max_parallel = 4

[agents.mine]
command = ["true"]

[notify.me]
sink = "terminal"

[repos.main]
path = "web"
prefix = "web"
target = "main"
agent = "mine"
review = "human"
gates = [{ name = "test", run = ["true"] }]
`;

export const TWO_REPOS = `${READY}
[repos.api]
path = "web"
prefix = "api"
target = "main"
agent = "mine"
review = "human"
gates = [{ name = "test", run = ["true"] }]
`;

/** The API on a workspace of its own, with a clock and chance that a test controls. */
export async function makeApi(options: { config?: string } = {}): Promise<ApiRig> {
  const place = makePlace(options.config ?? READY);
  let now = Date.parse('2026-03-01T10:00:00Z');
  const services = await servicesIn(place, () => now);
  const identity = localOperator({ USER: 'ada' }, 'process');
  const identify = async () => ({ ok: true, value: { identity, csrf: null } }) as const;
  const app = await createApp(services, { identify, network: null });
  const calls = callsOver(clientOver('http://test', null, async (request) => app.fetch(request)));
  const { ask } = calls;
  return {
    ...calls,
    services,
    repo: place.repo,
    git: place.git,
    task: async (title, more = {}) => (await ask(createTask, { body: { title, ...more } })).task.id,
    epic: async (title, parent) =>
      (await ask(createTask, { body: { title, type: 'epic', parent } })).task.id,
    after: async (task, on, more = {}) => {
      await ask(addDependency, { params: { id: task }, body: { on, ...more } });
    },
    stage: (targets, more = {}) => ask(stageConvoy, { body: { targets: [...targets], ...more } }),
    verified: async () => (await ask(verifyLedger, {})).ok,
    pass: (milliseconds) => {
      now += milliseconds;
    },
    raw: async (path, init) => app.fetch(new Request(`http://test${path}`, init)),
  };
}

type Place = { root: string; repo: string; dir: string; env: NodeJS.ProcessEnv } & Pick<
  ApiRig,
  'git'
>;

function makePlace(config: string): Place {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'convoy-api-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const repo = join(root, 'web');
  const dir = join(root, '.convoy');
  mkdirSync(repo);
  mkdirSync(dir);
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1' };
  const git = (...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.org', ...args], {
      cwd: repo,
      env,
      encoding: 'utf8',
      stdio: 'pipe',
    }).trimEnd();
  git('init', '--quiet', '-b', 'main');
  git('commit', '--quiet', '--allow-empty', '-m', 'first');
  writeFileSync(join(dir, 'config.toml'), config);
  return { root, repo, dir, env, git };
}

async function servicesIn({ root, dir, env }: Place, now: () => number): Promise<Services> {
  const ledger = await openLedger(await placeOfTest(dir), now);
  onTestFinished(() => ledger.close());
  return {
    ledger,
    settings: openSettings(join(dir, 'config.toml'), env),
    ids: countingIds(),
    machine,
    executor: async () => localExecutor({ directory: join(dir, 'logs'), node: process.execPath }),
    drafter: async () => null,
    repositories: { open: (path) => openRepository({ path, cacheDir: join(root, 'cache'), env }) },
    ship: async () => {
      const { environment } = await import('../../src/config/environment.ts');
      const { shipServices } = await import('../../src/daemon/ship.ts');
      const read = environment(env);
      if (!read.ok) throw new Error(read.error.message);
      const settings = openSettings(join(dir, 'config.toml'), env);
      return shipServices({ root, dir }, env, read.value, settings);
    },
    workspace: { root, dir },
    version: '9.9.9',
    instance: 'test',
    engine: false,
    webhooks: null,
    dashboard: null,
    now,
  };
}

function callsOver(client: Client): Pick<ApiRig, 'call' | 'ask' | 'refusal' | 'events'> {
  const call: ApiRig['call'] = async (route, input) => {
    const answer = await client.call(route, input);
    if (answer.ok) keepsContract(route, answer.value);
    else isProblem(answer.error);
    return answer;
  };
  const ask: ApiRig['ask'] = async (route, input) => {
    const answer = await call(route, input);
    if (!answer.ok) throw new Error(`${route.id}: ${JSON.stringify(answer.error)}`);
    return answer.value;
  };
  const events = async (): Promise<number> => (await ask(ledgerInfo, {})).events;
  const refusal: ApiRig['refusal'] = async (route, input) => {
    const before = await events();
    const answer = await call(route, input);
    if (answer.ok) throw new Error(`${route.id} was not refused: ${JSON.stringify(answer.value)}`);
    expect(await events()).toBe(before);
    return answer.error;
  };
  return { call, ask, refusal, events };
}

/** Ids in order, so that a test can name them; three letters suffice for any test. */
function countingIds(): Services['ids'] {
  let last = 36 ** 2;
  return { base36: (length) => (last++).toString(36).padStart(length, '0').slice(-length) };
}

/** The one command that the machine of this rig has not. */
export const NOT_INSTALLED = 'ghost-agent';

const machine: Machine = {
  version: async ([tool = '']) => ({ found: true, text: `${tool} 1.0` }),
  which: (command) => (command === NOT_INSTALLED ? null : `/usr/bin/${command}`),
  freeBytes: async () => 2 ** 40,
  freeMemoryBytes: () => 2 ** 33,
  isAlive: () => false,
  nodeVersion: 'v24.0.0',
  platform: 'linux',
};

/** Says all that the contract says and nothing that it does not, the tag first. */
function keepsContract(route: AnyRoute, value: unknown): void {
  const parsed = route.output.safeParse(value);
  expect(parsed.error, `${route.id} answers outside its contract`).toBeUndefined();
  expect(parsed.data, `${route.id} answers more than its contract says`).toEqual(value);
  expect(Object.keys(Object(value))[0]).toBe('schema');
}

function isProblem(problem: Problem): void {
  expect(problem.code).toMatch(/^[a-z][a-z_]+$/);
  expect(problem.message).not.toBe('');
}
