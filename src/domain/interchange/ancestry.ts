import { naturalOrder } from '../graph/natural-order.ts';
import type { TaskId } from '../work/ids.ts';

type Parents = ReadonlyMap<TaskId, { readonly parent: TaskId | null }>;

/** For each loop of parents, the task whose parent must go: the last of the loop that may. */
export function parentLoops(tasks: Parents, mayLose: (id: TaskId) => boolean): TaskId[] {
  const walkOf = new Map<TaskId, number>();
  const cut: TaskId[] = [];
  let walk = 0;
  for (const start of tasks.keys()) {
    walk += 1;
    const path: TaskId[] = [];
    let at: TaskId | null = start;
    while (at !== null && tasks.has(at) && !walkOf.has(at)) {
      walkOf.set(at, walk);
      path.push(at);
      at = tasks.get(at)?.parent ?? null;
    }
    if (at === null || walkOf.get(at) !== walk) continue;
    const loop = path.slice(path.indexOf(at)).filter(mayLose);
    const last = loop.toSorted(naturalOrder).at(-1);
    if (last !== undefined) cut.push(last);
  }
  return cut;
}

/** Answers "is the first above the second?" at once, however deep the tree is. */
export function ancestry(tasks: Parents): (above: TaskId, below: TaskId) => boolean {
  const children = new Map<TaskId, TaskId[]>();
  const roots: TaskId[] = [];
  for (const [id, { parent }] of tasks) {
    if (parent === null || !tasks.has(parent)) roots.push(id);
    else if (!children.get(parent)?.push(id)) children.set(parent, [id]);
  }
  const entered = new Map<TaskId, number>();
  const left = new Map<TaskId, number>();
  const trail = roots;
  let clock = 0;
  for (let id = trail.at(-1); id !== undefined; id = trail.at(-1)) {
    clock += 1;
    if (entered.has(id)) {
      left.set(id, clock);
      trail.pop();
    } else {
      entered.set(id, clock);
      for (const child of children.get(id) ?? []) trail.push(child);
    }
  }
  return (above, below) => {
    const at = entered.get(below) ?? -1;
    return above !== below && at > (entered.get(above) ?? Infinity) && at < (left.get(above) ?? 0);
  };
}
