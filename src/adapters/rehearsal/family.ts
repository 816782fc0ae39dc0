import { carries, directoryOf, processTable, rowOf } from './process-table.ts';
import type { Row } from './process-table.ts';

/** All processes of one rehearsal, however they try to leave. */
export type Family = {
  /** Takes in a process that we started as the leader of its own session. */
  readonly adopt: (pid: number) => void;
  /** Living members by descent, group, session and earlier sight. */
  readonly members: () => Row[];
  /** The same, and every stray that carries our mark or works in our directory. Slower. */
  readonly sweep: () => Row[];
};

/** Watches over a rehearsal's processes by its mark and its directory. */
export function createFamily(mark: string, directory: string): Family {
  const leaders = new Map<number, number>();
  const seen = new Map<number, number>();

  function grow(table: readonly Row[], seed: ReadonlySet<number>): Row[] {
    const found = new Set(seed);
    for (const row of table)
      if (isKin(row, leaders) || seen.get(row.pid) === row.start) found.add(row.pid);
    for (let before = -1; before !== found.size;) {
      before = found.size;
      for (const row of table) if (found.has(row.parent)) found.add(row.pid);
    }
    found.delete(process.pid);
    const members = table.filter((row) => found.has(row.pid));
    for (const row of members) seen.set(row.pid, row.start);
    return members;
  }

  return {
    adopt: (pid) => {
      const row = rowOf(pid);
      if (row !== null) leaders.set(pid, row.start);
    },
    members: () => grow(processTable(), new Set()),
    sweep: () => {
      const table = processTable();
      const strays = table.filter(
        ({ pid }) => pid !== process.pid && isStray(pid, mark, directory),
      );
      return grow(table, new Set(strays.map(({ pid }) => pid)));
    },
  };
}

/**
 * A group keeps its leader's number when the leader is gone, and the kernel gives that number to
 * nobody else while the group lives; a process that is itself number N must be the one we adopted.
 */
function isKin(row: Row, leaders: ReadonlyMap<number, number>): boolean {
  const adopted = leaders.get(row.pid);
  if (adopted !== undefined) return adopted === row.start;
  const leader = leaders.get(row.session) ?? leaders.get(row.group);
  return leader !== undefined && row.start >= leader;
}

function isStray(pid: number, mark: string, directory: string): boolean {
  const at = directoryOf(pid);
  if (at === directory || at?.startsWith(`${directory}/`) === true) return true;
  return carries(pid, mark);
}
