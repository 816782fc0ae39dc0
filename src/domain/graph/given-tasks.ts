import { taskId } from '../work/ids.ts';
import type { TaskId } from '../work/ids.ts';
import type { Dependency } from '../work/dependency.ts';
import { workGraph } from './work-graph.ts';
import type { GraphTask, WorkGraph } from './work-graph.ts';

/** What a test cares to say about a task; the rest is plain. */
type Given = Partial<Omit<GraphTask, 'id' | 'parent' | 'dependencies'>> & {
  readonly parent?: string;
  /** Ids that it depends on: `b`, or `waits-for b`, or an edge in full. */
  readonly after?: readonly (string | Dependency)[];
};

/** Writes tasks shortly, for tests: `{ a: {}, b: { after: ['a'] } }`. */
export const givenTasks = (tasks: Readonly<Record<string, Given>>): GraphTask[] =>
  Object.entries(tasks).map(([id, { parent, after = [], ...rest }]) => ({
    id: taskId(id),
    type: 'task',
    status: 'open',
    repo: null,
    priority: 2,
    createdAt: 0,
    estimateMinutes: null,
    title: id,
    ...rest,
    parent: parent === undefined ? null : taskId(parent),
    dependencies: after.map(edge),
  }));

export const givenGraph = (tasks: Readonly<Record<string, Given>>): WorkGraph =>
  workGraph(givenTasks(tasks));

export const everyTask = (graph: WorkGraph): Set<TaskId> => new Set(graph.tasks.keys());

function edge(given: string | Dependency): Dependency {
  if (typeof given !== 'string') return given;
  const words = given.split(' ');
  return { on: taskId(words.at(-1) ?? ''), kind: words.length > 1 ? (words[0] ?? '') : 'blocks' };
}
