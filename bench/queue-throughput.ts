import { planQueue } from '../src/domain/merge/plan.ts';
import { oracle, planSerially, planSpeculation } from '../src/simulator/merge-baselines.ts';
import { numberFlag } from './lib/flags.ts';
import { runRealQueue } from './lib/real-queue.ts';
import { type Planner, type QueueRun, runQueue } from '../src/simulator/merge-queue.ts';
import { randomWorld } from '../src/simulator/merge-world.ts';

/**
 * Merges per hour, next to the unbatched oracle that knows the bad changes: 20 seeds in virtual
 * time, and one with a real repository and the daemon. `--real` or `--simulated` runs one of both,
 * `--gate-ms` sets how long the gate of the real one takes.
 *
 * Our clock stops when every change is settled, the red ones too; the oracle never looks at those.
 */
const SIZE = { changes: 64, bad: 0.1, conflicting: 0.05 };
const isOnly = (what: string): boolean => process.argv.includes(`--${what}`);
const SEEDS = 20;
const GATE_MS = 60_000;

const worlds = Array.from({ length: SEEDS }, (_, n) =>
  randomWorld({
    seed: n + 1,
    ...SIZE,
    gateMs: GATE_MS,
    spread: 0.2,
  }),
);

for (const slots of isOnly('real') ? [] : [1, 2, 8]) {
  const ours = simulate(planQueue, slots);
  const reference = mean(worlds.map((world) => perHour(oracle(world, slots))));
  const merged = sum(ours.map((run) => run.merged.length));
  const redMerges = sum(ours.map((run) => run.redMerges));
  const lost = sum(ours.map((run) => run.lost.length));
  console.log(
    JSON.stringify({
      name: 'queue-throughput',
      slots,
      ours: round(throughput(ours)),
      reference: round(reference),
      ratio: round(throughput(ours) / reference),
      unit: 'merges/h',
      serial: round(throughput(simulate(planSerially, slots))),
      speculation: round(throughput(simulate(planSpeculation, slots))),
      gate_runs_per_merge: round(sum(ours.map((run) => run.gateRuns)) / merged),
      cancelled_runs_per_merge: round(sum(ours.map((run) => run.cancelledRuns)) / merged),
      red_merges: redMerges,
      lost,
    }),
  );
  if (redMerges + lost > 0) process.exitCode = 1;
}

const REAL_GATE_MS = numberFlag('gate-ms', 200);

// Cleared away at the very end: what is deleted makes new files dear for a while on some file systems.
await using cleanUp = new AsyncDisposableStack();
for (const slots of isOnly('simulated') ? [] : [8, 2, 1]) {
  const run = await runRealQueue({ ...SIZE, gateMs: REAL_GATE_MS, slots, seed: 1 }, cleanUp);
  const ours = perHour({ merged: run.merged, endsAt: run.ms });
  // Knows the bad ones and tests each of the others by itself, with the same git on the same machine.
  const reference = perHour({ merged: run.mergeable, endsAt: run.oracleMs });
  console.log(
    JSON.stringify({
      name: 'queue-throughput',
      kind: 'real',
      slots,
      gate_ms: REAL_GATE_MS,
      ours: round(ours),
      reference: round(reference),
      ratio: round(ours / reference),
      unit: 'merges/h',
      serial: round(perHour({ merged: run.mergeable, endsAt: SIZE.changes * run.bareMs })),
      bare_verification_ms: round(run.bareMs),
      seconds: round(run.ms / 1000),
      first_seconds: round(run.firstMs / 1000),
      rounds: run.rounds,
      oracle_seconds: round(run.oracleMs / 1000),
      merged: run.merged,
      gate_runs_per_merge: round(run.gateRuns / run.merged),
      cancelled_runs_per_merge: round(run.cancelledRuns / run.merged),
      red_merges: run.redMerges,
      lost: run.lost,
    }),
  );
  if (run.redMerges + run.lost > 0) process.exitCode = 1;
}

function simulate(planner: Planner, slots: number): QueueRun[] {
  return worlds.map((world) => runQueue(world, { planner, slots }));
}

function throughput(runs: readonly QueueRun[]): number {
  return mean(runs.map((run) => perHour({ merged: run.merged.length, endsAt: run.settledAt })));
}

function perHour({ merged, endsAt }: { merged: number; endsAt: number }): number {
  return (merged / endsAt) * 3_600_000;
}

function mean(figures: readonly number[]): number {
  return sum(figures) / figures.length;
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

function round(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}
