import { HIERARCHY_KIND } from '../work/dependency.ts';
import type { RepoName, TaskId } from '../work/ids.ts';
import type { Task } from '../work/task.ts';
import { isExternal, type BadEdge } from './beads-edges.ts';
import type { BeadsRow, BeadsTask } from './beads-read.ts';
import { keptEdges } from './import-edges.ts';
import { commandsFor, merged, type TaskUpdate } from './import-update.ts';

export type NumberedRow = { readonly line: number; readonly row: BeadsRow };

export type ImportInput = {
  readonly rows: Iterable<NumberedRow>;
  /** Every task of the workspace: an edge may be wrong because of any of them. */
  readonly existing: ReadonlyMap<TaskId, Task>;
  /** The repo of a new task; `said` is the one that its row names. */
  readonly repoFor: (id: TaskId, said: RepoName | null) => RepoName | null;
  /** An id for a row that has none; one that nobody has, here or in the file. */
  readonly newId: (row: BeadsTask, line: number) => TaskId;
};

/** Everything that an import would do; a dry run prints it, a real one carries it out. */
export type ImportPlan = {
  readonly create: readonly Task[];
  readonly update: readonly TaskUpdate[];
  /** States that a row would change and may not; the rest of the row is taken. */
  readonly kept: readonly { readonly id: TaskId; readonly line: number; readonly why: string }[];
  /** Rows that say what is so already. */
  readonly unchanged: readonly TaskId[];
  /** Rows older than what we have. */
  readonly stale: readonly TaskId[];
  /** Lines that are no task of ours, and why. */
  readonly skipped: readonly { readonly line: number; readonly why: string }[];
  readonly badEdges: readonly BadEdge[];
  /** Edges to other workspaces: kept, but nothing here waits for them. */
  readonly external: readonly { readonly from: TaskId; readonly on: string }[];
  /** Tasks that were here before and whose next child must get a higher number than this. */
  readonly numbered: readonly { readonly id: TaskId; readonly number: number }[];
};

type Taken = { readonly line: number; readonly id: TaskId; readonly row: BeadsTask };

/** Plans an import as one batch: the order of the rows does not matter, no row is half taken. */
export function planImport(input: ImportInput): ImportPlan {
  const { taken, skipped } = sort(input);
  const stale = taken.filter((each) => isStale(each, input.existing));
  const fresh = taken.filter((each) => !isStale(each, input.existing));
  const wanted = new Map(fresh.map((each) => [each.id, wantedTask(each, input)]));
  const { tasks, badEdges } = keptEdges(wanted, input.existing);
  const counts = childCounts(wanted.keys());
  const create: Task[] = [];
  const updates: TaskUpdate[] = [];
  for (const { id, line, row } of fresh) {
    const task = tasks.get(id)!;
    const before = input.existing.get(id);
    if (before) updates.push(commandsFor(before, task, row, line));
    else create.push({ ...task, childCount: Math.max(task.childCount, counts.get(id) ?? 0) });
  }
  const own = fresh.flatMap(({ id, row }) => row.badEdges.map((edge) => ({ from: id, ...edge })));
  return {
    create,
    update: updates.filter(({ commands }) => commands.length > 0),
    kept: updates.flatMap(({ id, line, kept }) => (kept === null ? [] : [{ id, line, why: kept }])),
    unchanged: updates.filter(({ commands }) => commands.length === 0).map(({ id }) => id),
    stale: stale.map(({ id }) => id),
    skipped,
    badEdges: [...own, ...badEdges],
    external: fresh.flatMap(({ id }) => externalEdges(tasks.get(id)!)),
    numbered: [...counts]
      .filter(([id, number]) => number > (input.existing.get(id)?.childCount ?? Infinity))
      .map(([id, number]) => ({ id, number })),
  };
}

/** Of several rows with one id the newest counts, and the later one of equals. */
function sort({ rows, newId }: ImportInput): { taken: Taken[]; skipped: ImportPlan['skipped'] } {
  const byId = new Map<TaskId, Taken>();
  const skipped: { line: number; why: string }[] = [];
  for (const { line, row } of rows) {
    if (row.kind !== 'task') {
      skipped.push({ line, why: whySkipped(row) });
      continue;
    }
    const each = { line, row, id: row.id ?? newId(row, line) };
    const other = byId.get(each.id);
    if (!other) {
      byId.set(each.id, each);
      continue;
    }
    const isNewer = (row.changedAt ?? -Infinity) >= (other.row.changedAt ?? -Infinity);
    const [wins, loses] = isNewer ? [each, other] : [other, each];
    byId.set(each.id, wins);
    skipped.push({
      line: loses.line,
      why: `line ${wins.line} says more recently what ${each.id} is`,
    });
  }
  return { taken: [...byId.values()].toSorted(inOrder), skipped: skipped.toSorted(inOrder) };
}

const inOrder = (a: { line: number }, b: { line: number }): number => a.line - b.line;

function whySkipped(row: Exclude<BeadsRow, BeadsTask>): string {
  switch (row.kind) {
    case 'bad':
      return row.why;
    case 'header':
      return 'a header, not a task';
    case 'memory':
      return 'a memory, not a task';
    case 'tombstone':
      return `${row.id ?? 'it'} was deleted`;
    case 'wisp':
      return `${row.id ?? 'it'} is ephemeral`;
    default:
      return row satisfies never;
  }
}

const isStale = ({ id, row }: Taken, existing: ImportInput['existing']): boolean =>
  row.changedAt !== null && row.changedAt < (existing.get(id)?.updatedAt ?? -Infinity);

function wantedTask({ id, row }: Taken, { existing, repoFor }: ImportInput): Task {
  const before = existing.get(id);
  if (before) return merged(before, row);
  return { ...row.core, id, repo: repoFor(id, row.core.repo), ...row.state };
}

/** How far the children of each parent are numbered, by ids such as `parent.7`. */
function childCounts(ids: Iterable<TaskId>): Map<TaskId, number> {
  const counts = new Map<string, number>();
  for (const id of ids) {
    const dot = id.lastIndexOf('.');
    const number = /^[1-9]\d{0,8}$/.test(id.slice(dot + 1)) ? Number(id.slice(dot + 1)) : 0;
    const parent = id.slice(0, Math.max(dot, 0));
    if (number > (counts.get(parent) ?? 0)) counts.set(parent, number);
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- parts of ids that are looked up as ids
  return counts as Map<TaskId, number>;
}

const externalEdges = (task: Task): ImportPlan['external'] =>
  task.dependencies
    .filter(({ on, kind }) => isExternal(on) && kind !== HIERARCHY_KIND)
    .map(({ on }) => ({ from: task.id, on }));
