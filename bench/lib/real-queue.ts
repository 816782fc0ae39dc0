import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { changesOf } from '../../src/ledger/queries/changes.ts';
import { verificationsOf } from '../../src/ledger/queries/verifications.ts';
import { type EngineRig, openEngineRig } from '../../test/engine/open-rig.ts';
import { enqueue, plantCommit, type Planted } from '../../test/engine/planted.ts';
import { upIn } from './daemon.ts';
import { median } from './report.ts';

export type RealWish = {
  readonly changes: number;
  /** Shares of the changes. */
  readonly bad: number;
  readonly conflicting: number;
  readonly gateMs: number;
  readonly slots: number;
  readonly seed: number;
};

export type RealRun = {
  /** The median of the rounds, each with new changes of the same kinds in the same order. */
  readonly ms: number;
  readonly firstMs: number;
  readonly rounds: number;
  /** Of the last round, as all that follows. */
  readonly merged: number;
  readonly mergeable: number;
  readonly gateRuns: number;
  readonly cancelledRuns: number;
  readonly redMerges: number;
  readonly lost: number;
  /** One verification by itself: merge, check out, gate. */
  readonly bareMs: number;
  /** The oracle, with real git: only the changes that can land, each tested once on top of those before it. */
  readonly oracleMs: number;
};

/** Changes that wait in the queue of a real repository, and the daemon as users have it, which empties it. */
export async function runRealQueue(
  wish: RealWish,
  cleanUp: AsyncDisposableStack,
): Promise<RealRun> {
  const rig = await openEngineRig({
    files: { 'shared.txt': 'start\n' },
    repo: { slots: wish.slots, delivery: 'local' },
    gates: [{ name: 'test', run: `sleep ${wish.gateMs / 1000}; ! ls | grep -q '^bad-'` }],
    workspace: { attempts: 1 },
  });
  cleanUp.defer(() => rig.close());
  const kinds = kindsOf(wish);
  const tasks = plant(rig, kinds, 0);
  const warmUp = [{ task: 'web-warm', head: commitOf(rig, 'good', WARM_UP) }];
  const bareMs = bareVerification(rig, tasks[0]?.head ?? '', wish.gateMs);
  const oracleMs = await runOracle(rig, kinds, tasks, wish);
  await using _ = await upIn(rig);
  await emptied(rig, warmUp);
  const rounds = [await emptied(rig, tasks)];
  let last = tasks;
  while (rounds.length < ROUNDS) {
    last = plant(rig, kinds, rounds.length);
    rounds.push(await emptied(rig, last));
  }
  const times = { ms: median(rounds), firstMs: rounds[0] ?? 0, rounds: rounds.length };
  return { ...times, bareMs, oracleMs, ...(await outcome(rig, kinds, last)) };
}

type Kind = 'good' | 'bad' | 'conflicting';

/** Which change is what: drawn once, so that every number of slots has the same. */
function kindsOf({ changes, bad, conflicting, seed }: RealWish): Kind[] {
  let state = seed;
  const chance = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const kinds = Array.from({ length: changes }, (): Kind => 'good');
  const mark = (share: number, kind: Kind): void => {
    for (let left = Math.round(changes * share); left > 0;) {
      const place = Math.floor(chance() * changes);
      if (kinds[place] !== 'good') continue;
      kinds[place] = kind;
      left -= 1;
    }
  };
  mark(bad, 'bad');
  // One more than conflicts: the first of them lands.
  mark(conflicting + (conflicting > 0 ? 1 / changes : 0), 'conflicting');
  return kinds;
}

const ROUNDS = 3;
const WARM_UP = 1_000_000;

/** Commits as agents would leave them. */
const plant = (rig: EngineRig, kinds: readonly Kind[], round: number): Planted[] =>
  kinds.map((kind, n) => ({
    task: `web-b${round}x${n}`,
    head: commitOf(rig, kind, round * kinds.length + n),
  }));

/** From the moment that they are queued, in milliseconds. */
async function emptied(rig: EngineRig, planted: readonly Planted[]): Promise<number> {
  await enqueue(rig, planted);
  const start = performance.now();
  await rig.until('settled', () => isSettled(rig), 600_000);
  return performance.now() - start;
}

/** One file more, or the shared file rewritten. */
function commitOf(rig: EngineRig, kind: Kind, n: number): string {
  const file = { good: `good-${n}.txt`, bad: `bad-${n}.txt`, conflicting: 'shared.txt' }[kind];
  return plantCommit(rig, file, `${n}\n`, `change-${n}`);
}

function bareVerification(rig: EngineRig, head: string, gateMs: number): number {
  const place = rig.path('bare');
  rig.git('worktree', 'add', '-q', '--detach', place, 'main');
  const start = performance.now();
  const tree = rig.git('merge-tree', '--write-tree', 'main', head);
  const commit = rig.git('commit-tree', tree, '-p', 'main', '-p', head, '-m', 'bare');
  execFileSync('git', ['checkout', '-q', commit], { cwd: place });
  execFileSync('sh', ['-c', `sleep ${gateMs / 1000}; ! ls | grep -q '^bad-'`], { cwd: place });
  const ms = performance.now() - start;
  rig.git('worktree', 'remove', '--force', place);
  return ms;
}

const execute = promisify(execFile);
const git = async (at: string, ...args: string[]): Promise<string> =>
  (await execute('git', args, { cwd: at })).stdout.trim();

/** Bare git and a bare gate in as many worktrees as there are slots; it keeps no record and proves nothing. */
async function runOracle(
  rig: EngineRig,
  kinds: readonly Kind[],
  planted: readonly Planted[],
  { slots, gateMs }: RealWish,
): Promise<number> {
  const cwd = rig.path('main');
  const places = Array.from({ length: slots }, (_, n) => rig.path(`oracle-${n}`));
  for (const place of places) rig.git('worktree', 'add', '-q', '--detach', place, 'main');
  const first = kinds.indexOf('conflicting');
  const landing = planted.filter((_, n) => kinds[n] === 'good' || n === first);
  const start = performance.now();
  const free = [...places];
  const waiting: ((place: string) => void)[] = [];
  const slot = (): Promise<string> => {
    const place = free.pop();
    return place === undefined
      ? new Promise((resolve) => waiting.push(resolve))
      : Promise.resolve(place);
  };
  const giveBack = (place: string): void => {
    const next = waiting.shift();
    if (next === undefined) free.push(place);
    else next(place);
  };
  let head = rig.git('rev-parse', 'main');
  const gates: Promise<void>[] = [];
  for (const { head: change } of landing) {
    const place = await slot();
    const tree = await git(cwd, 'merge-tree', '--write-tree', head, change);
    head = await git(cwd, 'commit-tree', tree, '-p', head, '-p', change, '-m', 'oracle');
    const commit = head;
    gates.push(
      (async () => {
        await git(place, 'checkout', '-q', commit);
        await execute('sh', ['-c', `sleep ${gateMs / 1000}; ! ls | grep -q '^bad-'`], {
          cwd: place,
        });
        giveBack(place);
      })(),
    );
  }
  await Promise.all(gates);
  const ms = performance.now() - start;
  for (const place of places) rig.git('worktree', 'remove', '--force', place);
  return ms;
}

async function isSettled(rig: EngineRig): Promise<boolean> {
  const open = await rig.services.ledger.db
    .selectFrom('change')
    .select('id')
    .where('status', 'in', ['queued', 'verifying', 'waiting_push'])
    .executeTakeFirst();
  return open === undefined;
}

async function outcome(
  rig: EngineRig,
  kinds: readonly Kind[],
  planted: readonly Planted[],
): Promise<Omit<RealRun, 'ms' | 'firstMs' | 'rounds' | 'bareMs' | 'oracleMs'>> {
  const { db } = rig.services.ledger;
  const changes = (
    await Promise.all(planted.map(async ({ task }) => (await changesOf(db, task)).slice(-1)))
  ).flat();
  const merged = changes.filter((change) => change.status === 'merged');
  const commits = new Set(merged.map((change) => change.merged.commit));
  const runs = new Map(
    (await Promise.all(changes.map(({ id }) => verificationsOf(db, id))))
      .flat()
      .map((run) => [run.id, run]),
  );
  const conflicting = kinds.filter((kind) => kind === 'conflicting').length;
  const good = kinds.filter((kind) => kind === 'good').length;
  const mergeable = good + Math.min(1, conflicting);
  const ended = changes.filter(({ status }) => status === 'red' || status === 'conflicted').length;
  return {
    merged: merged.length,
    mergeable,
    gateRuns: runs.size,
    cancelledRuns: [...runs.values()].filter(({ outcome: how }) => how === 'cancelled').length,
    redMerges: [...commits].filter((commit) => /\tbad-/.test(rig.git('ls-tree', commit))).length,
    // Neither landed nor told why not, or good and not landed.
    lost: planted.length - merged.length - ended + Math.max(0, mergeable - merged.length),
  };
}
