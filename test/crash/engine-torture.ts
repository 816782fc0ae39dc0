import { showConvoy } from '../../src/contract/routes/convoys.ts';
import { type EngineRig, openEngineRig, type Play, type Script, WORK } from '../engine/open-rig.ts';
import { type DaemonBundle, endOf } from './daemon-bundle.ts';
import { type Fault, FAULTS, readyForFaults, sufferLife } from './faults.ts';
import { brokenInvariants } from './invariants.ts';

export type Torture = {
  readonly seed: number;
  readonly tasks: number;
  readonly kills: number;
  /** How long the engine may live before it is killed, in ms. */
  readonly life: { readonly least: number; readonly most: number };
  readonly misbehave: boolean;
  /** Whether attempts are counted. */
  readonly count?: boolean;
  /** Whether the world misbehaves too: locks, full disks, a remote that is away … or which of these. */
  readonly faults?: boolean | readonly Fault[];
};

export type Outcome = {
  readonly seed: number;
  readonly kills: number;
  readonly broken: string[];
  /** The faults that were drawn, one for each life. */
  readonly faults?: readonly Fault[];
  /** How many attempts the tasks took: no more than tasks when every living agent was taken up again. */
  readonly attempts?: number;
  /** Kills before the convoy had ended. */
  readonly during?: number;
};

/** A convoy whose engine is killed again and again, with agents that misbehave at their first attempt. */
export async function torture(
  bundle: DaemonBundle,
  wish: Torture,
  database: string | null = null,
): Promise<Outcome> {
  const chance = chances(wish.seed);
  const drawn = faultsIn(wish);
  const world = {
    // Failing at once is the point here, so nobody is left alone for it.
    workspace: { max_parallel: 4, attempts: drawn.length > 0 ? 20 : 6, breaker: 0 },
    agent: { timeout: '4s' },
    gates: [{ name: 'clean', run: 'test ! -e bad.txt' }],
    files: { 'shared.txt': 'start\n' },
  };
  const rig = await openEngineRig(world, database);
  try {
    if (drawn.length > 0) readyForFaults(rig);
    const tasks = await plant(rig, wish.tasks, chance);
    rig.play(scriptsFor(tasks, wish.misbehave, chance));
    const convoy = await rig.launch(...tasks);
    const faults: Fault[] = [];
    const broken: string[] = [];
    let during = 0;
    for (let kill = 0; kill < wish.kills; kill++) {
      const fault = drawn[Math.floor(chance() * drawn.length)] ?? 'none';
      faults.push(fault);
      const life = wish.life.least + chance() * (wish.life.most - wish.life.least);
      if (wish.count === true && (await isUnderWay(rig, convoy))) during += 1;
      broken.push(...(await sufferLife(bundle, rig, fault, life)));
    }
    broken.push(...(await finish(bundle, rig, convoy, tasks)));
    const counted = wish.count === true ? { attempts: await attemptsIn(rig), during } : {};
    const told = { seed: wish.seed, kills: wish.kills, broken, ...counted };
    return drawn.length > 0 ? { ...told, faults } : told;
  } finally {
    await rig.close();
  }
}

function faultsIn({ faults = false }: Torture): readonly Fault[] {
  if (faults === true) return FAULTS;
  return faults === false ? [] : faults;
}

async function isUnderWay(rig: EngineRig, id: string): Promise<boolean> {
  const { convoy } = await rig.call(showConvoy, { params: { id } });
  return !ENDS.includes(convoy.status);
}

async function attemptsIn({ services }: EngineRig): Promise<number> {
  return (await services.ledger.db.selectFrom('attempt').select('id').execute()).length;
}

const FINISH_MS = 120_000;
const ENDS = ['landed', 'closed', 'cancelled'];

async function finish(
  bundle: DaemonBundle,
  rig: EngineRig,
  convoy: string,
  tasks: readonly string[],
): Promise<string[]> {
  const engine = bundle.start(rig);
  try {
    const end = await rig.until(
      'at its end',
      async () => {
        const { convoy: now } = await rig.call(showConvoy, { params: { id: convoy } });
        return ENDS.includes(now.status) && now;
      },
      FINISH_MS,
    );
    if (end.status !== 'landed') return [`the convoy is ${end.status}: ${end.reason}`];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  } finally {
    engine.kill('SIGTERM');
    await endOf(engine);
  }
  return brokenInvariants(rig, tasks);
}

/** Every second task waits for an earlier one. */
async function plant(rig: EngineRig, count: number, chance: () => number): Promise<string[]> {
  const tasks: string[] = [];
  for (let n = 0; n < count; n++) {
    const id = await rig.task(`T${n}`);
    const before = tasks[Math.floor(chance() * tasks.length)];
    if (before !== undefined && n % 2 === 1) await rig.after(id, before);
    tasks.push(id);
  }
  return tasks;
}

const MISBEHAVIOUR: readonly (readonly Play[])[] = [
  [{ do: 'crash', code: 3 }],
  [{ do: 'crash', signal: 'SIGKILL' }],
  [{ do: 'crash', code: 75 }],
  [{ do: 'lie' }],
  [{ do: 'hang', ignoreTerm: true }],
  [{ do: 'fork', count: 2, ms: 30_000, escape: true }, WORK[0] ?? { do: 'lie' }, { do: 'lie' }],
  [{ do: 'flood', bytes: 3_000_000 }, { do: 'crash' }],
  [{ do: 'write', path: 'bad.txt', content: '' }, ...WORK],
  [{ do: 'write', path: 'shared.txt', content: '{task_id}' }, ...WORK],
];

/** What an agent does after a fault: it takes away what broke the gate, and does its work. */
const MEND: readonly Play[] = [
  { do: 'write', path: 'bad.txt', content: '' },
  { do: 'delete', path: 'bad.txt' },
  { do: 'sleep', ms: 100 },
  ...WORK,
];

function scriptsFor(
  tasks: readonly string[],
  misbehave: boolean,
  chance: () => number,
): readonly Script[] {
  const faults = tasks.flatMap((task): Script[] => {
    const steps = MISBEHAVIOUR[Math.floor(chance() * MISBEHAVIOUR.length * 1.5)];
    return steps === undefined || !misbehave ? [] : [{ when: { task, attempt: 1 }, steps }];
  });
  // Whoever takes up finished work has nothing to commit, so the commit is left to the engine.
  return [...faults, { steps: MEND.filter((step) => step.do !== 'commit') }];
}

/** A small generator, so that a run can be repeated. */
function chances(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
