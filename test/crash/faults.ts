import { type ChildProcess, execFileSync } from 'node:child_process';
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { callDirectly } from '../../src/api/direct.ts';
import { done } from '../../src/contract/routes/worker.ts';
import type { Identity } from '../../src/domain/identity/identity.ts';
import { isLive } from '../../src/domain/work/attempt.ts';
import type { EngineRig } from '../engine/open-rig.ts';
import { type DaemonBundle, type DaemonWish, endOf } from './daemon-bundle.ts';

/** What the world does to an engine while it lives. */
export const FAULTS = [
  'none',
  'git-lock',
  'ref-moved',
  'remote-down',
  'gate-flap',
  'ledger-busy',
  'messages',
  'overtaken',
  'disk-full',
  'clock',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Gives the rig what faults need: a remote, and a gate that can be made to fail. */
export function readyForFaults(rig: EngineRig): void {
  const bare = rig.path('origin.git');
  execFileSync('git', ['init', '--quiet', '--bare', '-b', 'main', bare], { env: rig.env });
  rig.git('remote', 'add', 'origin', bare);
  rig.git('push', '--quiet', 'origin', 'main');
  rig.config(({ repos }) => {
    const run = `test ! -e bad.txt && test ! -e ${rig.path('flap')}`;
    for (const repo of Object.values(repos)) repo['gates'] = [{ name: 'clean', run }];
  });
}

/** One life of the engine with a fault in it, and its sudden end. Says what must not have happened. */
export async function sufferLife(
  bundle: DaemonBundle,
  rig: EngineRig,
  fault: Fault,
  lifeMs: number,
): Promise<string[]> {
  const doomed = bundle.start(rig, wishFor(rig, fault));
  // A moment of its life, chosen at random: this is the fault, not a wait for something.
  await pause(lifeMs / 2);
  const begun = await begin(bundle, rig, fault, doomed, lifeMs);
  await pause(lifeMs / 2);
  await begun.mend();
  doomed.kill('SIGKILL');
  await endOf(doomed);
  return begun.broken;
}

function wishFor(rig: EngineRig, fault: Fault): DaemonWish {
  if (fault === 'disk-full') return { fileKib: roomLeft(rig) };
  return fault === 'clock' ? { clock: clockFile(rig) } : {};
}

type Begun = { readonly broken: string[]; readonly mend: () => Promise<void> };
const nothing = async (): Promise<void> => {};
const mendedBy = (mend: () => void): Begun => ({ broken: [], mend: async () => mend() });

async function begin(
  bundle: DaemonBundle,
  rig: EngineRig,
  fault: Fault,
  doomed: ChildProcess,
  lifeMs: number,
): Promise<Begun> {
  switch (fault) {
    case 'git-lock':
      return locked([
        rig.path('main', '.git', 'refs', 'heads', 'main.lock'),
        rig.path('main', '.git', 'index.lock'),
      ]);
    case 'ref-moved':
      return mendedBy(commitOutside(rig));
    case 'remote-down': {
      const [here, away] = [rig.path('origin.git'), rig.path('origin.away')];
      renameSync(here, away);
      return mendedBy(() => renameSync(away, here));
    }
    case 'gate-flap':
      writeFileSync(rig.path('flap'), '');
      return mendedBy(() => rmSync(rig.path('flap')));
    case 'ledger-busy':
      return held(rig);
    case 'messages':
      return { broken: await lateWords(rig), mend: nothing };
    case 'overtaken':
      return overtaken(bundle, rig, doomed);
    case 'clock':
      return jumps(rig, lifeMs);
    default:
      return { broken: [], mend: nothing };
  }
}

/** As a git that was killed leaves it behind; only locks that nobody has are taken. */
function locked(files: readonly string[]): Begun {
  const mine = files.filter((file) => {
    if (existsSync(file)) return false;
    writeFileSync(file, '', { flag: 'wx' });
    return true;
  });
  return mendedBy(() => {
    for (const file of mine) rmSync(file, { force: true });
  });
}

/** Somebody commits on the target; git may be busy just then, which is their problem. */
function commitOutside(rig: EngineRig): () => void {
  try {
    rig.git('commit', '--quiet', '--allow-empty', '-m', 'from outside');
  } catch {
    // The engine was moving the checkout at that moment.
  }
  return () => {};
}

/** Another program holds the ledger's write lock. */
function held(rig: EngineRig): Begun {
  const file = rig.path('.convoy', 'ledger.db');
  if (!existsSync(file)) return { broken: [], mend: nothing };
  const db = new DatabaseSync(file, { timeout: 5000 });
  db.exec('begin immediate');
  return mendedBy(() => {
    db.exec('rollback');
    db.close();
  });
}

/** Agents that are gone speak, and one that lives says the same twice. */
async function lateWords(rig: EngineRig): Promise<string[]> {
  const rows = await rig.services.ledger.db
    .selectFrom('attempt')
    .select(['id', 'status'])
    .execute();
  const broken: string[] = [];
  for (const { id, status } of rows) {
    const identity: Identity = {
      actor: `worker:${id}`,
      role: 'worker',
      subject: `attempt:${id}`,
      task: null,
      token: null,
      by: 'process',
    };
    const who = { identity, csrf: null };
    const say = () => callDirectly(done, { body: { reason: 'again' } }, who, rig.services);
    const said = [await say(), await say()];
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the column holds a status
    if (!isLive(status as Parameters<typeof isLive>[0]) && said.some((each) => each.ok))
      broken.push(`${id} is ${status} and was heard`);
  }
  return broken;
}

/** The engine sleeps through the loss of its lease and comes back beside its successor. */
async function overtaken(
  bundle: DaemonBundle,
  rig: EngineRig,
  sleeper: ChildProcess,
): Promise<Begun> {
  sleeper.kill('SIGSTOP');
  await rig.services.ledger.db.updateTable('lease').set({ expires_at: 0 }).execute();
  const successor = bundle.start(rig);
  return {
    broken: [],
    mend: async () => {
      sleeper.kill('SIGCONT');
      await pause(100);
      successor.kill('SIGKILL');
      await endOf(successor);
    },
  };
}

const HOUR_MS = 3_600_000;
const clockFile = (rig: EngineRig): string => rig.path('clock');

/**
 * Somebody sets the clock of the machine: hours forward, then back behind where it was. The lease goes by
 * the ledger's own clock, which would jump as well.
 */
async function jumps(rig: EngineRig, lifeMs: number): Promise<Begun> {
  let skew = 0;
  const jump = async (hours: number): Promise<void> => {
    skew += hours * HOUR_MS;
    writeFileSync(clockFile(rig), String(skew));
    await rig.services.ledger.db
      .updateTable('lease')
      .set(({ eb }) => ({ expires_at: eb('expires_at', '-', hours * HOUR_MS) }))
      .execute();
  };
  await jump(5);
  // Another moment of its life.
  await pause(lifeMs / 4);
  await jump(-9);
  return mendedBy(() => rmSync(clockFile(rig)));
}

const KIB = 1024;
const SPARE_KIB = 48;

/** So large may files get that little more can be written to the ledger. */
function roomLeft(rig: EngineRig): number {
  const wal = rig.path('.convoy', 'ledger.db-wal');
  return Math.ceil((existsSync(wal) ? statSync(wal).size : 0) / KIB) + SPARE_KIB;
}
