import { addDependency } from '../../src/contract/routes/tasks.ts';
import { type EngineRig, openEngineRig } from '../../test/engine/open-rig.ts';
import type { Pace, Shape } from './shapes.ts';

export type Paced = Pace & {
  /** Files of the repository that is worked in, besides its readme. */
  readonly files?: number;
};

const LINES = 40;

/** A workspace with agents that take a fixed time (`paced`) and agents that only wait (`sleeper`). */
export function paced({ agentMs, gateMs, parallel, slots, files = 0 }: Paced): Promise<EngineRig> {
  const agent = `echo "$CONVOY_TASK_ID" > "work-$CONVOY_TASK_ID"; exec sleep ${agentMs / 1000}`;
  return openEngineRig({
    workspace: { max_parallel: parallel },
    agents: {
      paced: { adapter: 'command', command: ['sh', '-c', agent] },
      sleeper: { adapter: 'command', command: ['sleep', '3600'] },
    },
    repo: { agent: 'paced', slots },
    gates: [{ name: 'gate', run: ['sleep', String(gateMs / 1000)] }],
    files: Object.fromEntries(
      Array.from({ length: files }, (_, n) => [
        `src/part-${n % 20}/file-${n}.txt`,
        Array.from({ length: LINES }, (__, line) => `line ${line} of file ${n}\n`).join(''),
      ]),
    ),
  });
}

/** Writes down a convoy of this shape; its tasks by number, and what is launched to start it. */
export async function writeShape(
  rig: EngineRig,
  shape: Shape,
): Promise<{ tasks: string[]; targets: string[] }> {
  const tasks: string[] = [];
  const epics: string[] = [];
  const isEpic = shape.some(({ epic }) => epic !== undefined);
  const root = isEpic ? await rig.task('All', { type: 'epic' }) : null;
  for (const [n, { after, epic }] of shape.entries()) {
    if (epic === undefined) {
      const id = await rig.task(`Task ${n}`);
      await rig.after(id, ...after.map((other) => tasks[other] ?? ''));
      tasks.push(id);
      continue;
    }
    const parent =
      epics[epic] ?? (await rig.task(`Part ${epic}`, { type: 'epic', parent: root ?? '' }));
    const before = epics[epic - 1];
    if (epics[epic] === undefined && before !== undefined)
      await rig.call(addDependency, { params: { id: parent }, body: { on: before } });
    epics[epic] = parent;
    tasks.push(await rig.task(`Task ${n}`, { parent }));
  }
  return { tasks, targets: root === null ? tasks : [root] };
}

const LONGEST_MS = 3_600_000;

/** Runs a convoy of this shape from its launch to its landing, under an engine that runs already. */
export async function runShape(
  rig: EngineRig,
  shape: Shape,
): Promise<{ ms: number; tasks: string[] }> {
  const { tasks, targets } = await writeShape(rig, shape);
  const start = performance.now();
  const convoy = await rig.launch(...targets);
  await rig.until(
    'landed',
    async () => {
      const { status } = await rig.services.ledger.db
        .selectFrom('convoy')
        .select('status')
        .where('id', '=', convoy)
        .executeTakeFirstOrThrow();
      if (status === 'stalled') throw new Error('the convoy stalled');
      return status === 'landed';
    },
    LONGEST_MS,
  );
  return { ms: performance.now() - start, tasks };
}
