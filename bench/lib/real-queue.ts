import { execFile, execFileSync } from 'node:child_process';
import { promisify } from 'node:util';
import { attemptId, changeId, repoName, taskId } from '../../src/domain/work/ids.ts';
import { newTask } from '../../src/domain/work/new-task.ts';
import { changeAggregate } from '../../src/ledger/aggregates/change.ts';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import { changesOf } from '../../src/ledger/queries/changes.ts';
import { verificationsOf } from '../../src/ledger/queries/verifications.ts';
import { ok } from '../../src/lib/result.ts';
import { type EngineRig, openEngineRig } from '../../test/engine/open-rig.ts';
import { upIn } from './daemon.ts';

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
  readonly ms: number;
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
export async function runRealQueue(wish: RealWish): Promise<RealRun> {
  const rig = await openEngineRig({
    files: { 'shared.txt': 'start\n' },
    repo: { slots: wish.slots, delivery: 'local' },
    gates: [{ name: 'test', run: `sleep ${wish.gateMs / 1000}; ! ls | grep -q '^bad-'` }],
    workspace: { attempts: 1 },
  });
  try {
    const kinds = kindsOf(wish);
    const tasks = plant(rig, kinds);
    const warmUp = [{ task: 'web-warm', head: commitOf(rig, 'main', 'good', kinds.length) }];
    const bareMs = bareVerification(rig, tasks[0]?.head ?? '', wish.gateMs);
    const oracleMs = await runOracle(rig, kinds, tasks, wish);
    await using _ = await upIn(rig);
    await emptied(rig, warmUp);
    const ms = await emptied(rig, tasks);
    return { ms, bareMs, oracleMs, ...(await outcome(rig, kinds, tasks)) };
  } finally {
    await rig.close();
  }
}

type Kind = 'good' | 'bad' | 'conflicting';
type Planted = { readonly task: string; readonly head: string };

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

/** Commits as agents would leave them. */
const plant = (rig: EngineRig, kinds: readonly Kind[]): Planted[] =>
  kinds.map((kind, n) => ({ task: `web-b${n}`, head: commitOf(rig, 'main', kind, n) }));

/** From the moment that they are queued, in milliseconds. */
async function emptied(rig: EngineRig, planted: readonly Planted[]): Promise<number> {
  await enqueue(rig, planted);
  const start = performance.now();
  await rig.until('settled', () => isSettled(rig), 600_000);
  return performance.now() - start;
}

/** Rows as a submission would leave them. */
async function enqueue(rig: EngineRig, planted: readonly Planted[]): Promise<void> {
  const base = rig.git('merge-base', 'main', planted[0]?.head ?? '');
  await rig.services.ledger.write('bench', async (tx) => {
    for (const { task, head } of planted) {
      const [id, change, attempt] = [taskId(task), changeId(`ch-${task}`), attemptId(`at-${task}`)];
      await tx.record(taskAggregate, id, [
        {
          type: 'task-created',
          task: newTask(id, { title: task, repo: repoName('main') }, 'bench', tx.at),
        },
        { type: 'attempt-started', attempt },
        { type: 'task-submitted', attempt, change },
      ]);
      const core = {
        id: change,
        task: id,
        attempt,
        convoy: null,
        repo: repoName('main'),
        target: 'main',
        head,
        base,
        priority: 2,
        enqueuedAt: tx.at,
        movedTo: null,
      };
      await tx.record(changeAggregate, change, [
        { type: 'change-enqueued', at: tx.at, change: core },
      ]);
    }
    return ok(null);
  });
}

/** A commit on the base with one file more, or with the shared file rewritten. */
function commitOf(rig: EngineRig, base: string, kind: Kind, n: number): string {
  const file = { good: `good-${n}.txt`, bad: `bad-${n}.txt`, conflicting: 'shared.txt' }[kind];
  const cwd = rig.path('main');
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], {
    cwd,
    input: `${n}\n`,
    encoding: 'utf8',
  }).trim();
  const entries = rig
    .git('ls-tree', base)
    .split('\n')
    .filter((line) => !line.endsWith(`\t${file}`));
  const tree = execFileSync('git', ['mktree'], {
    cwd,
    input: `${[...entries, `100644 blob ${blob}\t${file}`].join('\n')}\n`,
    encoding: 'utf8',
  }).trim();
  const commit = rig.git('commit-tree', tree, '-p', base, '-m', `change ${n}`);
  rig.git('branch', `change-${n}`, commit);
  return commit;
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
): Promise<Omit<RealRun, 'ms' | 'bareMs' | 'oracleMs'>> {
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
