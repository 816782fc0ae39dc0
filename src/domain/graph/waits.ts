import { isOrdering } from '../work/dependency.ts';
import type { TaskId } from '../work/ids.ts';
import { childrenOf } from './work-graph.ts';
import type { GraphTask, WorkGraph } from './work-graph.ts';

/**
 * The ordering relation, in one place.
 *
 * Every task is two moments. A task's end waits for its start; a child's start waits for its
 * parent's start, so that it inherits what the parent waits for; a parent's end waits for its
 * child's end; and a task that depends on another starts after that one ended.
 */
export type Moment = typeof START | typeof END;
export const START = 0;
export const END = 1;

type Visit = (moment: Moment, on: TaskId, ofMoment: Moment) => void;

/** Tells every moment that a moment of this task waits for, within the graph. */
export function eachWait(graph: WorkGraph, task: GraphTask, visit: Visit): void {
  visit(END, task.id, START);
  if (task.parent !== null && graph.tasks.has(task.parent)) visit(START, task.parent, START);
  for (const child of childrenOf(graph, task.id)) visit(END, child, END);
  for (const { on, kind } of task.dependencies) {
    if (isOrdering(kind) && graph.tasks.has(on)) visit(START, on, END);
  }
}

/** Edges that are not written yet: the key would wait for each of the values. */
type Proposed = ReadonlyMap<TaskId, readonly TaskId[]>;
type Step = { readonly id: TaskId; readonly moment: Moment; readonly before: Step | null };

/**
 * The shortest chain by which the end of one task waits for the start of another.
 *
 * Reads only what it reaches, so that one edge can be checked without indexing the whole graph.
 */
export function waitPath(
  graph: WorkGraph,
  from: TaskId,
  to: TaskId,
  proposed: Proposed = new Map(),
): TaskId[] | null {
  const seen = [new Set<TaskId>(), new Set<TaskId>()] as const;
  const reach = (step: Step, level: Step[]): void => {
    if (seen[step.moment].has(step.id)) return;
    seen[step.moment].add(step.id);
    level.push(step);
    // From its end to its start is no step, so both are on the same level.
    if (step.moment === END) reach({ id: step.id, moment: START, before: step }, level);
  };
  let level: Step[] = [];
  reach({ id: from, moment: END, before: null }, level);
  while (level.length > 0) {
    const next: Step[] = [];
    for (const step of level) {
      if (step.id === to && step.moment === START) return tasksOn(step);
      const task = graph.tasks.get(step.id);
      if (!task) continue;
      eachWait(graph, task, (moment, on, ofMoment) => {
        if (moment === step.moment) reach({ id: on, moment: ofMoment, before: step }, next);
      });
      if (step.moment === END) continue;
      for (const on of proposed.get(step.id) ?? []) {
        reach({ id: on, moment: END, before: step }, next);
      }
    }
    level = next;
  }
  return null;
}

function tasksOn(last: Step): TaskId[] {
  const path: TaskId[] = [];
  for (let step: Step | null = last; step; step = step.before) {
    if (path.at(-1) !== step.id) path.push(step.id);
  }
  return path.toReversed();
}
