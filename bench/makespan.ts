import { loadavg } from 'node:os';
import type { EngineRig } from '../test/engine/open-rig.ts';
import { upIn } from './lib/daemon.ts';
import { paced, runShape } from './lib/engine-run.ts';
import { flag, numberFlag } from './lib/flags.ts';
import { median, report, round } from './lib/report.ts';
import { bound, type Shape, SHAPES } from './lib/shapes.ts';

/**
 * Launch to landing against the time that agents and gates alone need: the median of some convoys one after the
 * other, under a daemon that has landed one task before. Flags: --shape name, --runs, --agent-ms, --gate-ms,
 * --parallel, --slots.
 */
const pace = {
  agentMs: numberFlag('agent-ms', 3000),
  gateMs: numberFlag('gate-ms', 200),
  parallel: numberFlag('parallel', 8),
  slots: numberFlag('slots', 4),
};
const wanted = flag('shape');
if (wanted !== undefined && !(wanted in SHAPES))
  throw new Error(`No shape ${wanted}. There is ${Object.keys(SHAPES).join(', ')}.`);

// Cleared away at the very end: what is deleted makes new files dear for a while on some file systems.
await using cleanUp = new AsyncDisposableStack();
for (const [name, shapeOf] of Object.entries(SHAPES)) {
  if (wanted !== undefined && wanted !== name) continue;
  const shape = shapeOf();
  const rig = await paced(pace);
  cleanUp.defer(() => rig.close());
  const reference = bound(shape, pace);
  const runs = await measured(rig, shape, numberFlag('runs', runsOf(reference)));
  report({
    name: 'makespan',
    ours: median(runs),
    reference,
    unit: 'ms',
    aim: 1.1,
    shape: name,
    tasks: shape.length,
    agent_ms: pace.agentMs,
    gate_ms: pace.gateMs,
    parallel: pace.parallel,
    first: round(runs[0] ?? 0),
    runs: runs.length,
    load: round(loadavg()[0] ?? 0),
  });
}

/** The shorter it takes, the more a single hiccup of the machine would say. */
function runsOf(ms: number): number {
  if (ms > 60_000) return 1;
  return ms > 5000 ? 3 : 5;
}

async function measured(rig: EngineRig, shape: Shape, count: number): Promise<number[]> {
  await using _ = await upIn(rig);
  await runShape(rig, [{ after: [] }]);
  const runs: number[] = [];
  for (let n = 0; n < count; n += 1) runs.push((await runShape(rig, shape)).ms);
  return runs;
}
