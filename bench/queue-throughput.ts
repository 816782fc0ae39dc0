import { planQueue } from '../src/domain/merge/plan.ts';
import { oracle, planSerially, planSpeculation } from '../src/simulator/merge-baselines.ts';
import { runQueue, type Planner, type QueueRun } from '../src/simulator/merge-queue.ts';
import { type MergeWorld, randomWorld } from '../src/simulator/merge-world.ts';

const SEEDS = Number(process.argv[2] ?? 20);
const worlds = Array.from({ length: SEEDS }, (_, seed) =>
  randomWorld({
    seed: seed + 1,
    changes: 64,
    bad: 0.1,
    conflicting: 0.05,
    gateMs: 60_000,
    spread: Number(process.argv[3] ?? 0.2),
  }),
);

for (const slots of [1, 2, 8]) {
  const ours = worlds.map((world) => run(world, planQueue, slots));
  const reference = mean(worlds.map((world) => perHour(oracle(world, slots))));
  const figures = (planner: Planner): number =>
    mean(worlds.map((world) => ended(run(world, planner, slots))));
  const throughput = mean(ours.map(ended));
  const merged = sum(ours.map((one) => one.merged.length));
  console.log(
    JSON.stringify({
      name: `queue-throughput-${slots}`,
      ours: round(throughput),
      reference: round(reference),
      ratio: round(throughput / reference),
      lastMerge: round(
        mean(ours.map((o) => perHour({ merged: o.merged.length, endsAt: o.lastMergeAt }))) /
          reference,
      ),
      unit: 'merges/h',
      serial: round(figures(planSerially)),
      speculation: round(figures(planSpeculation)),
      gate_runs_per_merge: round(sum(ours.map((one) => one.gateRuns)) / merged),
      cancelled: sum(ours.map((o) => o.cancelledRuns)),
      merge_trees: sum(ours.map((o) => o.mergeTrees)) / SEEDS,
      red_merges: sum(ours.map((one) => one.redMerges)),
      lost: sum(ours.map((one) => one.lost.length)),
    }),
  );
}

function run(world: MergeWorld, planner: Planner, slots: number): QueueRun {
  return runQueue(world, { planner, slots });
}

function ended(one: QueueRun): number {
  return perHour({ merged: one.merged.length, endsAt: one.settledAt });
}

function perHour({ merged, endsAt }: { merged: number; endsAt: number }): number {
  return (merged / endsAt) * 3_600_000;
}

function sum(figures: readonly number[]): number {
  return figures.reduce((a, b) => a + b, 0);
}

function mean(figures: readonly number[]): number {
  return sum(figures) / figures.length;
}

function round(figure: number): number {
  return Math.round(figure * 1000) / 1000;
}
