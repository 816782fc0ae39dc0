import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { err, type Result } from '../../lib/result.ts';
import type { NoAnswer } from '../../ports/repository.ts';
import { isAlive, thisProcess } from './process-identity.ts';
import { errored } from './run.ts';

/**
 * One holder at a time, in this process and across processes.
 *
 * The lock is a file that names its holder; it appears with its content in one step (`link`), so it
 * is never seen half written. A lock whose holder is gone is taken away by whoever first claims that
 * very lock (its random token), so two rescuers cannot remove each other's fresh one. The files are tiny and
 * read and written without waiting: a turn of the event loop takes longer than they do.
 */
export function fileLock(path: string, patienceMs = 60_000): Lock {
  return <T, E>(work: () => Promise<Result<T, E>>) =>
    inTurn(path, async (others) => {
      const held = handed.get(path) ?? (await take(path, patienceMs));
      handed.delete(path);
      if (held === null) {
        return err<NoAnswer>(errored('busy', 'lock the repository', `${path} stayed taken`));
      }
      try {
        return await work();
      } finally {
        // Whoever waits here gets it as it is, unless other processes have waited long enough.
        if (others() && performance.now() - held.since < LONGEST_HELD_MS) handed.set(path, held);
        else release(path, held.token);
      }
    });
}

type Held = { readonly token: string; readonly since: number };

/** Locks that were not given up between two of their holders in this process. */
const handed = new Map<string, Held>();
const LONGEST_HELD_MS = 100;

async function take(path: string, patienceMs: number): Promise<Held | null> {
  const token = await acquire(path, Date.now() + patienceMs);
  return token === null ? null : { token, since: performance.now() };
}

export type Lock = <T, E>(work: () => Promise<Result<T, E>>) => Promise<Result<T, E | NoAnswer>>;

const Holder = z.object({
  pid: z.int(),
  startTime: z.string().nullable(),
  token: z.string().regex(/^[0-9a-f]+$/),
});
type Holder = z.infer<typeof Holder>;

const queues = new Map<string, Promise<unknown>>();
const CLAIM_MS = 10_000;

/** First come, first served inside this process; whoever has the turn can ask whether others wait. */
async function inTurn<T>(path: string, work: (others: () => boolean) => Promise<T>): Promise<T> {
  const before = queues.get(path) ?? Promise.resolve();
  const others = (): boolean => queues.get(path) !== settled;
  const mine = before.then(() => work(others));
  const settled: Promise<unknown> = mine.catch(() => undefined);
  queues.set(path, settled);
  try {
    return await mine;
  } finally {
    if (queues.get(path) === settled) queues.delete(path);
  }
}

async function acquire(path: string, deadline: number): Promise<string | null> {
  const token = randomBytes(8).toString('hex');
  const holder: Holder = { ...(await thisProcess()), token };
  const draft = `${path}.${token}`;
  writeFileSync(draft, JSON.stringify(holder));
  try {
    while (!appears(draft, path)) {
      if (Date.now() > deadline) return null;
      if (!(await removeIfAbandoned(path))) await wait(2 + Math.random() * 15);
    }
    return token;
  } finally {
    rmSync(draft, { force: true });
  }
}

function appears(draft: string, path: string): boolean {
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

async function removeIfAbandoned(path: string): Promise<boolean> {
  const seen = readHolder(path);
  if (seen === 'absent') return true;
  if (seen !== 'unreadable' && (await isAlive(seen))) return false;
  const claim = `${path}.claim-${seen === 'unreadable' ? 'unreadable' : seen.token}`;
  if (!claimed(claim)) return false;
  try {
    const again = readHolder(path);
    const same =
      again === seen ||
      (typeof again === 'object' && typeof seen === 'object' && again.token === seen.token);
    if (same) rmSync(path, { force: true });
    return same;
  } finally {
    rmSync(claim, { force: true });
  }
}

function claimed(claim: string): boolean {
  try {
    writeFileSync(claim, '', { flag: 'wx' });
    return true;
  } catch {
    const found = statSync(claim, { throwIfNoEntry: false });
    const age = found === undefined ? 0 : Date.now() - found.mtimeMs;
    // The claimant died between two system calls.
    if (age > CLAIM_MS) rmSync(claim, { force: true });
    return false;
  }
}

function release(path: string, token: string): void {
  const holder = readHolder(path);
  if (typeof holder === 'object' && holder.token === token) rmSync(path, { force: true });
}

function readHolder(path: string): Holder | 'absent' | 'unreadable' {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return 'absent';
  }
  try {
    return Holder.parse(JSON.parse(text));
  } catch {
    return 'unreadable';
  }
}
