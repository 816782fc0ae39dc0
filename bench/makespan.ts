import { bound, type Pace, paced, runShape, type Shape } from './lib/engine-run.ts';
import { report } from './lib/report.ts';

/**
 * Launch to landing against the time that agents and gates alone need. Flags: --agent-ms, --gate-ms,
 * --parallel, --random N, --only name.
 */
const flag = (name: string): string | undefined => {
  const place = process.argv.indexOf(`--${name}`);
  return place === -1 ? undefined : process.argv[place + 1];
};

const pace: Pace = {
  agentMs: Number(flag('agent-ms') ?? 300),
  gateMs: Number(flag('gate-ms') ?? 50),
  parallel: Number(flag('parallel') ?? 8),
  slots: 4,
};

const shapes: Record<string, Shape> = {
  chain: Array.from({ length: 6 }, (_, n) => ({ after: n === 0 ? [] : [n - 1] })),
  diamond: [{ after: [] }, { after: [0] }, { after: [0] }, { after: [0] }, { after: [1, 2, 3] }],
  wide: Array.from({ length: 8 }, () => ({ after: [] })),
  'sub-epics': Array.from({ length: 9 }, (_, n) => ({
    after: n < 3 ? [] : [0, 1, 2].map((of) => Math.floor(n / 3) * 3 - 3 + of),
  })),
  random: randomShape(Number(flag('random') ?? 60), 11),
};

for (const [name, shape] of Object.entries(shapes)) {
  if (flag('only') !== undefined && flag('only') !== name) continue;
  const rig = await paced(pace);
  const { ms } = await runShape(rig, shape);
  await rig.close();
  report({
    name: 'makespan',
    ours: ms,
    reference: bound(shape, pace),
    unit: 'ms',
    shape: name,
    tasks: shape.length,
    agent_ms: pace.agentMs,
    gate_ms: pace.gateMs,
    parallel: pace.parallel,
  });
}

/** Each task waits for up to two earlier ones. */
function randomShape(size: number, seed: number): Shape {
  let state = seed;
  const chance = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  return Array.from({ length: size }, (_, n) => ({
    after:
      n === 0
        ? []
        : [
            ...new Set(
              Array.from({ length: Math.floor(chance() * 3) }, () => Math.floor(chance() * n)),
            ),
          ],
  }));
}
