import { type CrashPoint, watchCrashPoints } from '../engine/crash-points.ts';
import { type Engine, startEngine } from '../engine/engine.ts';
import type { World } from '../engine/world.ts';
import { takeLease } from '../ledger/lease.ts';
import { fencedBy } from '../ledger/lease-fence.ts';
import { type Ledger, openLedger } from '../ledger/open.ts';
import { err, ok } from '../lib/result.ts';
import type { Ids } from '../ports/ids.ts';
import type { Machine } from '../ports/machine.ts';
import type { Message, Notifier } from '../ports/notifier.ts';
import type { Repositories } from '../ports/repositories.ts';
import type { RepoSettings, Settings, SettingsStore, Sink } from '../ports/settings.ts';
import { type Life, newLife, telling } from './life.ts';
import { type MemoryExecutor, memoryExecutor, type Running } from './memory-executor.ts';
import { type MemoryForge, memoryForge } from './memory-forge.ts';
import { type MemoryOrigin, memoryOrigin } from './memory-origin.ts';
import { type MemoryRepository, memoryRepository, TRUNK } from './memory-repository.ts';
import { seededChance } from './merge-world.ts';
import { objectStore } from './object-store.ts';
import { isGreen, perform, playingAgent, taskOf } from './plays.ts';
import { isReviewer, reviewWork } from './reviewing.ts';
import { type Delivery, simulatedSettings, WORKSPACE } from './simulated-settings.ts';
import { type VirtualTime, virtualTime } from './virtual-time.ts';

/** The engine with its real loops and its real ledger, in a world that a seed decides. */
export type Simulation = {
  readonly time: VirtualTime;
  readonly ledger: Ledger;
  readonly repository: MemoryRepository;
  readonly repositories: Repositories;
  /** Where the repository comes from, once work is delivered by pull requests. */
  readonly origin: MemoryOrigin;
  readonly forge: MemoryForge;
  readonly executor: MemoryExecutor;
  readonly settings: SettingsStore;
  readonly machine: Machine;
  readonly ids: Ids;
  /** `broken` gates cannot answer, `flapping` ones fail good trees now and then. */
  gate: 'fine' | 'broken' | 'flapping';
  /** Every message that reached a far end, in order, by the name of the sink. */
  readonly told: readonly { readonly to: string; readonly message: Message }[];
  readonly log: readonly string[];
  isRunning(): boolean;
  /** From now on work is delivered by pull requests. */
  deliverByPulls(policy: RepoSettings['prMerge']): void;
  /** The forge tells that something happened there. */
  news(): void;
  /** A new process takes the lease over and runs the engine. */
  start(): Promise<void>;
  /** Ends the process in good order. */
  stop(how: { readonly agents: boolean }): Promise<void>;
  /** Kills the process now. */
  crash(): void;
  /** Kills the process at the n-th passing of a point from now on. */
  crashAt(point: CrashPoint, nth: number): void;
  /** Stops the process as SIGSTOP does; the answer lets it go on. */
  freeze(): () => void;
  close(): Promise<void>;
};

const START = Date.UTC(2026, 0, 1);

export async function simulate(
  seed: number,
  change: Partial<Settings['workspace']> = {},
): Promise<Simulation> {
  const chance = seededChance(seed);
  const time = virtualTime(START);
  const ledger = telling(await openLedger(':memory:', () => time.now()));
  const store = objectStore();
  const origin = memoryOrigin(store, 'memory://hub/main');
  let delivery: Delivery = 'local';
  const repository = memoryRepository(store, () => (delivery === 'local' ? null : origin));
  const first = repository.store.commit(new Map([['shared', 'start']]), [], 'first', START);
  repository.branches.set(TRUNK, first);
  const papers = new Map<string, string>();
  const executor = memoryExecutor(time, (running) => {
    if (isReviewer(running)) reviewWork(running, repository, papers, time, chance);
    else if (taskOf(running) === null) runGate(running, sim, chance);
    else perform(running, repository, time, chance);
  });
  const ground: Ground = {
    time,
    ledger,
    repository,
    executor,
    origin,
    forge: memoryForge(store, origin, () => time.now()),
    papers,
    settings: settingsOf(() => simulatedSettings(change, delivery)),
    ids: { base36: (length) => letters(length, chance) },
    told: [],
    log: [],
    chance,
  };
  const sim: Simulation = {
    ...ground,
    repositories: { open: async () => ok(repository.port) },
    machine: MACHINE,
    gate: 'fine',
    deliverByPulls(policy) {
      delivery = policy;
      origin.branches.set(TRUNK, repository.branches.get(TRUNK) ?? first);
    },
    ...processesOn(ground),
  };
  return sim;
}

/** What outlives every process. */
type Ground = Pick<
  Simulation,
  'time' | 'ledger' | 'repository' | 'executor' | 'settings' | 'ids' | 'origin' | 'forge'
> & {
  /** Files that programs leave outside every checkout. */
  readonly papers: Map<string, string>;
  readonly told: { to: string; message: Message }[];
  readonly log: string[];
  readonly chance: () => number;
};

type Process = { readonly life: Life; readonly engine: Engine };

/** At most one process is known; others may still be frozen, or dying. */
function processesOn(
  ground: Ground,
): Pick<
  Simulation,
  'isRunning' | 'news' | 'start' | 'stop' | 'crash' | 'crashAt' | 'freeze' | 'close'
> {
  const { time, ledger, chance } = ground;
  let process: Process | null = null;
  let lives = 0;
  let wish: { point: CrashPoint; left: number } | null = null;
  const die = (): void => {
    process?.life.die();
    process = null;
  };
  watchCrashPoints((point) => {
    if (wish?.point !== point || process === null) return;
    wish.left -= 1;
    if (wish.left > 0) return;
    wish = null;
    die();
    throw new Error(`killed at ${point}`);
  });
  return {
    isRunning: () => process !== null,
    news: () => process?.engine.lookAtForges(),
    async start() {
      if (process !== null) return;
      const life = newLife(time, chance);
      const world = await worldOf(ground, life, `life-${(lives += 1)}`);
      process = { life, engine: startEngine(world) };
    },
    async stop(how) {
      const running = process;
      if (running === null) return;
      await ended(running, how, time);
      if (process === running) die();
    },
    crash: die,
    crashAt(point, nth) {
      wish = { point, left: nth };
    },
    freeze() {
      const { life } = process ?? { life: null };
      process = null;
      life?.freeze();
      return () => life?.thaw();
    },
    async close() {
      die();
      watchCrashPoints(null);
      await time.pass(0);
      await ledger.close();
    },
  };
}

/** The world as one process sees it, under a lease of its own. */
async function worldOf(ground: Ground, life: Life, holder: string): Promise<World> {
  const { time, ledger, repository, executor, settings, ids, told, log, chance } = ground;
  const { forge, papers } = ground;
  const before = await ledger.db.selectFrom('lease').select('holder').executeTakeFirst();
  const lease = await takeLease(ledger.db, 'sqlite', {
    name: 'engine',
    holder,
    ttlMs: LEASE_MS,
    over: before?.holder,
  });
  if (lease === null) throw new Error('the lease could not be taken');
  const fenced = fencedBy(ledger, lease, () => life.die());
  const port = life.repository(repository.port);
  return {
    ledger: life.ledger(fenced),
    settings,
    repositories: { open: async () => ok(port) },
    executor: life.executor(executor.port),
    forges: { open: async () => ok(life.forge(forge.port)) },
    machine: MACHINE,
    ids,
    agent: (name) => ok(playingAgent(name)),
    reviewer: async () => null,
    notifier: (sink) => farEnd(sink, time, life, told),
    mintToken: async () => 'token',
    revokeTokens: async () => {},
    url: 'http://127.0.0.1:9',
    runsDir: WORKSPACE,
    convoyRoot: WORKSPACE,
    env: {},
    readText: async (path) => papers.get(path) ?? null,
    now: () => time.now(),
    timers: life.timers,
    chance,
    log: (line) => void (life.isDead() ? 0 : log.push(`${holder} ${line}`)),
  };
}

const LEASE_MS = 60_000;

/** Lets time pass until the engine has stopped, or its process is dead. */
async function ended(
  { engine, life }: Process,
  how: { readonly agents: boolean },
  time: VirtualTime,
): Promise<void> {
  const stop = { isOver: false };
  const over = (): void => {
    stop.isOver = true;
  };
  void engine.stop(how).then(over, over);
  for (let waited = 0; waited < LONGEST_STOP_MS; waited += STEP_MS) {
    if (stop.isOver || life.isDead()) return;
    await time.pass(STEP_MS);
  }
}

const STEP_MS = 100;
const LONGEST_STOP_MS = 60_000;

/** A gate looks at the tree it was given, and answers after a while. */
function runGate(running: Running, sim: Simulation, chance: () => number): void {
  const mode = sim.gate;
  const place = sim.repository.places.at(running.spec.cwd);
  const isBad = place === null || !isGreen(place.files);
  const flaps = mode === 'flapping' && chance() < 0.3;
  sim.time.after(chance() * LONGEST_GATE_MS, () =>
    running.end({ kind: 'code', code: mode === 'broken' ? 127 : Number(isBad || flaps) }),
  );
}

const LONGEST_GATE_MS = 3000;

const letters = (length: number, chance: () => number): string =>
  Array.from({ length }, () => Math.floor(chance() * 36).toString(36)).join('');

/** A webhook knows a message it has; a command runs as often as it is called. */
function farEnd(
  sink: Sink,
  time: VirtualTime,
  life: Life,
  told: { to: string; message: Message }[],
): Notifier {
  return {
    repeatable: sink.sink === 'webhook',
    async send(message) {
      await time.sleep(10);
      if (!life.isDead()) told.push({ to: sink.sink, message });
      await time.sleep(10);
      if (life.isDead()) await new Promise<never>(() => {});
      return { kind: 'delivered' };
    },
  };
}

const settingsOf = (read: () => Settings): SettingsStore => ({
  path: `${WORKSPACE}/config.toml`,
  read: () => ok(read()),
  apply: () => err({ code: 'fixed', message: 'the settings of a simulation are fixed' }),
  explain: () => ok([]),
  text: () => '',
});

const PLENTY = 2 ** 40;
const MACHINE: Machine = {
  version: async () => ({ found: false, why: 'nothing is installed here' }),
  which: (command) => `/bin/${command}`,
  freeBytes: async () => PLENTY,
  freeMemoryBytes: () => PLENTY,
  isAlive: () => false,
  nodeVersion: 'v24.0.0',
  platform: 'memory',
};
