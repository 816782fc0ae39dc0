import { loadavg } from 'node:os';
import type { EngineRig } from '../test/engine/open-rig.ts';
import { upIn } from './lib/daemon.ts';
import { paced, runShape } from './lib/engine-run.ts';
import { flag, numberFlag } from './lib/flags.ts';
import { report, round } from './lib/report.ts';
import { bound, type Shape, SHAPES } from './lib/shapes.ts';

/**
 * Launch to landing against the time that agents and gates alone need, with a daemon that has landed one task
 * before. Flags: --shape name, --agent-ms, --gate-ms, --parallel, --slots.
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

for (const [name, shapeOf] of Object.entries(SHAPES)) {
  if (wanted !== undefined && wanted !== name) continue;
  const shape = shapeOf();
  const rig = await paced(pace);
  const ms = await measured(rig, shape);
  await rig.close();
  report({
    name: 'makespan',
    ours: ms,
    reference: bound(shape, pace),
    unit: 'ms',
    aim: 1.1,
    shape: name,
    tasks: shape.length,
    agent_ms: pace.agentMs,
    gate_ms: pace.gateMs,
    parallel: pace.parallel,
    load: round(loadavg()[0] ?? 0),
  });
}

async function measured(rig: EngineRig, shape: Shape): Promise<number> {
  await using _ = await upIn(rig);
  await runShape(rig, [{ after: [] }]);
  return (await runShape(rig, shape)).ms;
}
