import { unreachable } from '../../lib/unreachable.ts';
import { checkEdge, type EdgeRefusal } from '../graph/edge-rules.ts';
import type { GraphTask, WorkGraph } from '../graph/work-graph.ts';
import { HIERARCHY_KIND, isOrdering, type Dependency } from '../work/dependency.ts';
import type { TaskId } from '../work/ids.ts';
import type { Task } from '../work/task.ts';
import { ancestry, parentLoops } from './ancestry.ts';
import { isExternal, type BadEdge } from './beads-edges.ts';
import { untie } from './untie.ts';

type Tasks = ReadonlyMap<TaskId, Task>;
type Kept = { readonly tasks: Tasks; readonly badEdges: readonly BadEdge[] };

/**
 * The wanted tasks without the edges that may not be written, and those edges with the reason.
 *
 * Judged against the workspace as it would be afterwards, in a few walks over the whole: only
 * edges of the wanted tasks are ever dropped.
 */
export function keptEdges(wanted: Tasks, existing: Tasks): Kept {
  const badEdges: BadEdge[] = [];
  const tasks = new Map(wanted);
  const afterwards = (): Map<TaskId, Task> => new Map([...existing, ...tasks]);
  const drop = (id: TaskId, isBad: (edge: Dependency) => string | null): void => {
    const task = tasks.get(id)!;
    const dependencies = task.dependencies.filter((edge) => {
      const why = isBad(edge);
      if (why !== null) badEdges.push({ from: id, on: edge.on, kind: edge.kind, why });
      return why === null;
    });
    if (dependencies.length < task.dependencies.length) tasks.set(id, { ...task, dependencies });
  };
  const orphan = (id: TaskId, why: string): void => {
    const task = tasks.get(id)!;
    badEdges.push({ from: id, on: task.parent ?? '', kind: HIERARCHY_KIND, why });
    tasks.set(id, { ...task, parent: null });
  };

  const known = bareGraph(afterwards().keys());
  for (const [id, task] of wanted) {
    if (task.parent === id) orphan(id, 'a task cannot be its own parent');
    else if (task.parent !== null && !known.tasks.has(task.parent)) {
      orphan(id, `there is no task ${task.parent}`);
    }
    drop(id, wrongByItself(known, task));
  }
  for (const id of parentLoops(afterwards(), (each) => wanted.has(each))) {
    orphan(id, 'its parents would form a loop');
  }
  const isAbove = ancestry(afterwards());
  for (const id of wanted.keys()) drop(id, wrongInTree(id, isAbove));
  for (const { from, on, of, path } of untie([...afterwards().values()], (id) => wanted.has(id))) {
    const why = `it closes a cycle: ${[...path, path[0]].join(' → ')}`;
    if (of === 'hierarchy') orphan(from, why);
    else drop(from, (edge) => (edge.on === on && isOrdering(edge.kind) ? why : null));
  }
  return { tasks, badEdges };
}

/** A graph of names only, in which one edge can be judged without regard to the others. */
function bareGraph(ids: Iterable<TaskId>): WorkGraph {
  const tasks = new Map<TaskId, GraphTask>();
  for (const id of ids) tasks.set(id, BARE);
  return { tasks, children: new Map(), dependents: new Map() };
}

const BARE: GraphTask = {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- nobody looks at it
  id: '' as TaskId,
  type: 'task',
  parent: null,
  repo: null,
  priority: 2,
  createdAt: 0,
  estimateMinutes: null,
  title: '',
  dependencies: [],
  status: 'open',
};

function wrongByItself(known: WorkGraph, { id }: Task): (edge: Dependency) => string | null {
  const seen = new Set<string>();
  return (edge) => {
    const refusal = checkEdge(known, id, edge);
    const isElsewhere = refusal?.reason === 'missing' && isExternal(edge.on);
    if (refusal && !isElsewhere) return inWords(refusal);
    const name = `${edge.kind} ${edge.on}`;
    if (seen.has(name)) return inWords({ reason: 'duplicate', on: edge.on, kind: edge.kind });
    seen.add(name);
    return null;
  };
}

type IsAbove = (above: TaskId, below: TaskId) => boolean;

const wrongInTree =
  (id: TaskId, isAbove: IsAbove) =>
  ({ on, kind }: Dependency): string | null => {
    if (!isOrdering(kind)) return null;
    if (isAbove(on, id)) {
      return inWords({ reason: 'ancestor-blocks', ancestor: on, descendant: id });
    }
    return isAbove(id, on)
      ? inWords({ reason: 'descendant-blocks', ancestor: id, descendant: on })
      : null;
  };

function inWords(refusal: EdgeRefusal): string {
  switch (refusal.reason) {
    case 'kind-empty':
      return 'its kind is empty';
    case 'kind-too-long':
      return `its kind is longer than ${refusal.longest} characters`;
    case 'kind-malformed':
      return 'its kind is not a word of a-z, 0-9, _ and -';
    case 'kind-is-hierarchy':
      return 'a parent is not a dependency';
    case 'level-not-allowed':
    case 'children-not-allowed':
      return `${refusal.kind} takes no such option`;
    case 'self':
      return 'a task cannot wait for itself';
    case 'missing':
      return `there is no task ${refusal.id}`;
    case 'ancestor-blocks':
      return `${refusal.ancestor} is above it and cannot be done first`;
    case 'descendant-blocks':
      return `${refusal.descendant} is below it and is waited for anyway`;
    case 'duplicate':
      return 'the same edge is there already';
    case 'cycle':
      return `it closes a cycle: ${refusal.path.join(' → ')}`;
    default:
      return unreachable(refusal);
  }
}
