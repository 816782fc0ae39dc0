import { randomUUID } from 'node:crypto';
import { constants, copyFile, link, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Stopped } from '../../ports/executor.ts';
import { findIn } from './find.ts';
import type { Moment } from './numbering.ts';
import { type Family, isAlive, membersOf, startOf } from './process-table.ts';
import {
  type ExitRecord,
  type Identity,
  readClaim,
  readExit,
  readPids,
  writeWhole,
} from './records.ts';

const LOOK_MS = 20;
const RECORD_MS = 3000;
const MOST_ROUNDS = 50;

type Stop = {
  /** `NAME=value` that the processes of the run inherit. */
  readonly mark: string;
  /** When we started it; null for what another engine started. */
  readonly begun: Moment | null;
  readonly graceMs: number;
  /** Called before the wrapper of the run is ended with force: it must not have another run by then. */
  readonly retire: () => void;
};

/** Ends everything that belongs to a run; afterwards none of its processes lives. */
export async function stopIn(run: string, how: Stop): Promise<Stopped> {
  const { graceMs, retire } = how;
  if (!(await exists(run))) return { state: { status: 'absent' }, killed: 0, left: 0 };
  if (await claimBeforeWrapper(run)) return { state: await findIn(run), killed: 0, left: 0 };
  const claim = await readClaim(run);
  const wrapper = claim?.by === 'wrapper' ? claim : null;
  if (wrapper !== null) await until(async () => isSettled(run, wrapper), RECORD_MS);
  const family = (): Promise<Family> => familyOf(run, how, wrapper);
  const found = await signalAll(await family(), 'SIGTERM');
  // The usual case: the wrapper has put everything away before it recorded the end.
  if (found === 0 && (await readExit(run)) !== null)
    return { state: await findIn(run), killed: 0, left: 0 };
  await until(async () => (await membersOf(await family())).length === 0, graceMs);
  const killed = await killAll(family);
  if (wrapper !== null) await endWrapper(run, wrapper, retire);
  const left = (await membersOf(await family())).length;
  return { state: await findIn(run), killed, left };
}

/**
 * Takes the place of a wrapper that has not begun. One that was launched by an engine that died since
 * then finds the run taken, so nothing starts after it was stopped.
 */
async function claimBeforeWrapper(run: string): Promise<boolean> {
  // Looked at first, because stopping must not need room on the disk.
  if ((await readClaim(run))?.by === 'wrapper') return false;
  const mine = join(run, `claim.${randomUUID()}.tmp`);
  await writeFile(mine, JSON.stringify({ by: 'stopper' }));
  const taken = join(run, 'claim.json');
  try {
    await link(mine, taken).catch(() => copyFile(mine, taken, constants.COPYFILE_EXCL));
  } catch {
    const claim = await readClaim(run);
    if (claim?.by !== 'stopper' || (await readExit(run)) !== null) return false;
  } finally {
    await rm(mine, { force: true });
  }
  const record: ExitRecord = {
    how: { kind: 'not-started', code: 'STOPPED', message: 'it was stopped before it ran' },
    at: Date.now(),
    output: { bytes: 0, dropped: 0 },
  };
  writeWhole(join(run, 'exit.json'), JSON.stringify(record));
  return true;
}

/** Either the program is recorded or it will never be. */
async function isSettled(run: string, wrapper: Identity): Promise<boolean> {
  return (await readPids(run)) !== null || (await isOver(run, wrapper));
}

/** Its end is recorded, or nobody is left to record it. */
const isOver = async (run: string, wrapper: Identity): Promise<boolean> =>
  (await readExit(run)) !== null || !(await isAlive(wrapper));

async function familyOf(
  run: string,
  { mark, begun }: Stop,
  wrapper: Identity | null,
): Promise<Family> {
  const pids = await readPids(run);
  const spare = new Set([process.pid, ...(wrapper === null ? [] : [wrapper.pid])]);
  if (pids === null) return { leader: null, mark, since: wrapper?.start ?? null, begun, spare };
  const now = await startOf(pids.program.pid);
  const isWitnessed = wrapper !== null && !(await isOver(run, wrapper));
  // A leader that is gone leaves its number to strangers, unless the wrapper is just clearing up.
  const isOurs = now === pids.program.start || (now === null && isWitnessed);
  const leader = isOurs ? pids.program.pid : null;
  return { leader, mark, since: pids.program.start, begun, spare };
}

async function signalAll(family: Family, signal: NodeJS.Signals): Promise<number> {
  const members = await membersOf(family);
  for (const pid of members) send(pid, signal);
  return members.length;
}

/** Again and again, because a process that forks while we look has a child that we did not see. */
async function killAll(family: () => Promise<Family>): Promise<number> {
  let killed = 0;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const count = await signalAll(await family(), 'SIGKILL');
    if (count === 0) break;
    killed = Math.max(killed, count);
    await pause(LOOK_MS);
  }
  return killed;
}

/** The wrapper writes the end; one that does not is ended too, and the run counts as lost. */
async function endWrapper(run: string, wrapper: Identity, retire: () => void): Promise<void> {
  if (await until(() => isOver(run, wrapper), RECORD_MS)) return;
  retire();
  if (!(await isOver(run, wrapper))) send(wrapper.pid, 'SIGKILL');
}

function send(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // Gone already, or not ours to end; whoever stays is counted at the end.
  }
}

async function until(holds: () => Promise<boolean>, ms: number): Promise<boolean> {
  const limit = performance.now() + ms;
  for (;;) {
    if (await holds()) return true;
    if (performance.now() >= limit) return false;
    await pause(LOOK_MS);
  }
}

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
