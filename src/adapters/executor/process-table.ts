import { execFile } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { lowestSince, type Moment } from './numbering.ts';
import type { Identity } from './records.ts';

/** True while this very process lives; another one that was given the same number is not it. */
export async function isAlive(identity: Identity): Promise<boolean> {
  return (await startOf(identity.pid)) === identity.start;
}

/** Boot and start time of a process, `null` when there is none (or only its corpse). */
export async function startOf(pid: number): Promise<string | null> {
  const stat = statOf(pid);
  if (stat !== null) return stat.state === 'Z' ? null : `${await bootId()}:${stat.start}`;
  if (await hasProc()) return null;
  const line = await ps(['-o', 'lstart=', '-p', String(pid)]);
  return line === '' ? null : `ps:${line}`;
}

export type Family = {
  /** The program we started, leader of its group and session; `null` when its number may be another's. */
  readonly leader: number | null;
  /** `NAME=value` that its processes inherit. */
  readonly mark: string;
  /** When its program began, as `startOf` says: whatever is older is none of its processes. */
  readonly since: string | null;
  /** When it was started, where this process did that: whatever has a lower number is none of its processes. */
  readonly begun: Moment | null;
  /** Never touched: the wrapper and ourselves. */
  readonly spare: ReadonlySet<number>;
};

/** Every living process of an execution: its group, its session, marked strays and their children. */
export async function membersOf(family: Family): Promise<number[]> {
  const lowest = lowestSince(family.begun);
  // Its own leader would be too old: whatever the reason, these numbers cannot be trusted.
  const isWrong = family.leader !== null && family.leader < lowest;
  const table = await processTable(isWrong ? 0 : lowest);
  const found = new Set<number>();
  for (const row of table) {
    if (family.spare.has(row.pid) || row.state.startsWith('Z')) continue;
    const inGroup =
      family.leader !== null && (row.group === family.leader || row.session === family.leader);
    if (inGroup || (isYoung(row, family.since) && isMarked(row.pid, family.mark)))
      found.add(row.pid);
  }
  addDescendants(found, table, family.spare);
  return [...found];
}

type Row = {
  pid: number;
  parent: number;
  group: number;
  session: number;
  state: string;
  /** Clock ticks since the system began; empty where that is not known. */
  start: string;
};

function isYoung({ start }: Row, since: string | null): boolean {
  const ticks = /:(\d+)$/.exec(since ?? '')?.[1];
  return ticks === undefined || start === '' || Number(start) >= Number(ticks);
}

function addDescendants(found: Set<number>, table: Row[], spare: ReadonlySet<number>): void {
  for (let before = -1; before !== found.size;) {
    before = found.size;
    for (const { pid, parent, state } of table)
      if (found.has(parent) && !spare.has(pid) && !state.startsWith('Z')) found.add(pid);
  }
}

/** Read without waiting: hundreds of such files take less time than hundreds of turns of the event loop. */
async function processTable(lowest: number): Promise<Row[]> {
  if (!(await hasProc())) return psTable();
  return readdirSync('/proc').flatMap((name) => {
    const stat = /^\d+$/.test(name) && Number(name) >= lowest ? statOf(Number(name)) : null;
    return stat === null ? [] : [{ pid: Number(name), ...stat }];
  });
}

async function psTable(): Promise<Row[]> {
  const text = await ps(['-A', '-o', 'pid=,ppid=,pgid=,state=']);
  return text.split('\n').flatMap((line) => {
    const [pid, parent, group, state] = line.trim().split(/\s+/);
    if (pid === undefined || state === undefined) return [];
    const ids = { pid: Number(pid), parent: Number(parent), group: Number(group) };
    return [{ ...ids, session: -1, state, start: '' }];
  });
}

function statOf(pid: number) {
  const text = readNow(`/proc/${pid}/stat`);
  if (text === null) return null;
  // The name in brackets may hold anything, brackets and spaces too.
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
  return {
    state: fields[0] ?? '',
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    start: fields[19] ?? '',
  };
}

function isMarked(pid: number, mark: string): boolean {
  const environ = readNow(`/proc/${pid}/environ`);
  return environ !== null && `\0${environ}\0`.includes(`\0${mark}\0`);
}

function readNow(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null;
  }
}

let boot: Promise<string> | undefined;
const bootId = (): Promise<string> =>
  (boot ??= readFile('/proc/sys/kernel/random/boot_id', 'utf8').then((text) => text.trim()));

const hasProc = (): Promise<boolean> =>
  readFile('/proc/self/stat').then(
    () => true,
    () => false,
  );

const ps = (args: string[]): Promise<string> =>
  promisify(execFile)('ps', args).then(
    ({ stdout }) => stdout.trim(),
    () => '',
  );
