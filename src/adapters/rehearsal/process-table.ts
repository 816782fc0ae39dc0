import { readFileSync, readdirSync, readlinkSync } from 'node:fs';

/** One living process as the kernel shows it. */
export type Row = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
  /** Clock ticks since boot; with the pid it names a process for good. */
  readonly start: number;
  readonly name: string;
  readonly cpuTicks: number;
};

/** Every living process; corpses that nobody has collected do not count. */
export function processTable(): Row[] {
  return numbers('/proc').flatMap((pid) => rowOf(pid) ?? []);
}

/** One process, null when it is gone. */
export function rowOf(pid: number): Row | null {
  const text = read(`/proc/${pid}/stat`);
  if (text === null) return null;
  const close = text.lastIndexOf(')');
  const fields = text.slice(close + 2).split(' ');
  if (fields[0] === 'Z' || fields[0] === 'X') return null;
  return {
    pid,
    name: text.slice(text.indexOf('(') + 1, close),
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    cpuTicks: Number(fields[11]) + Number(fields[12]),
    start: Number(fields[19]),
  };
}

/** Resident bytes of a process, 0 when it is gone. */
export function residentBytes(pid: number): number {
  const kib = /^VmRSS:\s+(\d+) kB/m.exec(read(`/proc/${pid}/status`) ?? '')?.[1];
  return Number(kib ?? 0) * 1024;
}

/** Whether a process carries `NAME=value` in the environment it was started with. */
export function carries(pid: number, mark: string): boolean {
  return (read(`/proc/${pid}/environ`) ?? '').split('\0').includes(mark);
}

/** The working directory of a process, null when it is gone or not ours to see. */
export function directoryOf(pid: number): string | null {
  return link(`/proc/${pid}/cwd`);
}

/** The inodes of the sockets that a process holds. */
export function socketsOf(pid: number): string[] {
  return numbers(`/proc/${pid}/fd`).flatMap(
    (fd) => /^socket:\[(\d+)\]$/.exec(link(`/proc/${pid}/fd/${fd}`) ?? '')?.[1] ?? [],
  );
}

function numbers(directory: string): number[] {
  try {
    return readdirSync(directory)
      .filter((name) => /^\d+$/.test(name))
      .map(Number);
  } catch {
    return [];
  }
}

function read(file: string): string | null {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return null;
  }
}

function link(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}
