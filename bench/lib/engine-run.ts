import { type EngineRig, openEngineRig } from '../../test/engine/open-rig.ts';

/** Tasks by number; `after` are the numbers each waits for. */
export type Shape = readonly { readonly after: readonly number[] }[];

export type Pace = {
  readonly agentMs: number;
  readonly gateMs: number;
  readonly parallel: number;
  readonly slots: number;
};

/** A workspace whose agents take a fixed time and note when they began. */
export function paced({ agentMs, gateMs, parallel, slots }: Pace): Promise<EngineRig> {
  const agent = `date +%s%3N > "start-$CONVOY_TASK_ID"; sleep ${agentMs / 1000}`;
  return openEngineRig({
    workspace: { max_parallel: parallel },
    agents: { paced: { adapter: 'command', command: ['sh', '-c', agent] } },
    repo: { agent: 'paced', slots },
    gates: [{ name: 'gate', run: ['sleep', String(gateMs / 1000)] }],
  });
}

/** Runs a convoy of this shape from its launch to its landing; milliseconds, and the ids by number. */
export async function runShape(
  rig: EngineRig,
  shape: Shape,
): Promise<{ ms: number; tasks: string[]; convoy: string }> {
  const tasks: string[] = [];
  for (const [n, { after }] of shape.entries()) {
    const id = await rig.task(`Task ${n}`);
    await rig.after(id, ...after.map((other) => tasks[other] ?? ''));
    tasks.push(id);
  }
  const start = performance.now();
  const convoy = await rig.launch(...tasks);
  rig.start();
  await rig.until(
    'landed',
    async () => {
      const { status } = await rig.settled(convoy, 'landed', 'stalled');
      if (status === 'stalled') throw new Error('the convoy stalled');
      return true;
    },
    3_600_000,
  );
  return { ms: performance.now() - start, tasks, convoy };
}

/** The time no engine can beat: the longest chain, or all the work over all the places. */
export function bound(shape: Shape, { agentMs, gateMs, parallel }: Pace): number {
  const each = agentMs + gateMs;
  const ends: number[] = [];
  for (const { after } of shape)
    ends.push(each + Math.max(0, ...after.map((other) => ends[other] ?? 0)));
  return Math.max(...ends, (shape.length * agentMs) / parallel + gateMs);
}
