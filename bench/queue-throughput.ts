import { planQueue } from '../src/domain/merge/plan.ts';
import { oracle, planSerially, planSpeculation } from '../src/simulator/merge-baselines.ts';
import { type Planner, type QueueRun, runQueue } from '../src/simulator/merge-queue.ts';
import { randomWorld } from '../src/simulator/merge-world.ts';

/**
 * Merges per hour of virtual time, next to the unbatched oracle that knows the bad changes.
 *
 * Our clock stops when every change is settled, the red ones too; the oracle never looks at those.
 */
const SEEDS = 20;
const GATE_MS = 60_000;

const worlds = Array.from({ length: SEEDS }, (_, n) =>
  randomWorld({
    seed: n + 1,
    changes: 64,
    bad: 0.1,
    conflicting: 0.05,
    gateMs: GATE_MS,
    spread: 0.2,
  }),
);

for (const slots of [1, 2, 8]) {
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
