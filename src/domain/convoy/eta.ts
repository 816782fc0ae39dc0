import { remainingPath } from '../graph/critical-path.ts';
import { isOver } from '../graph/open-order.ts';
import type { GraphTask, WorkGraph } from '../graph/work-graph.ts';
import { blockersOf } from '../work/blockers.ts';
import type { TaskId } from '../work/ids.ts';
import { isDispatchable } from '../work/task.ts';

/** How long things took in a repo lately, in milliseconds; null where nothing was measured. */
export type RepoPace = {
  readonly attemptMs: number | null;
  readonly verificationMs: number | null;
};

export type EtaFacts = {
  readonly graph: WorkGraph;
  readonly members: ReadonlySet<TaskId>;
  readonly pace: ReadonlyMap<string, RepoPace>;
  /** Attempts that may run at the same time. */
  readonly slots: number;
  /** How long the attempt that runs has worked already. */
  readonly worked: ReadonlyMap<TaskId, number>;
  /** How long a task that is deferred has to wait before it may start. */
  readonly waits: ReadonlyMap<TaskId, number>;
  /** All of it lands together at the end. */
  readonly landsWhole: boolean;
};

/**
 * How long what is left will take if everything takes as long as it mostly did and nothing fails: the
 * longest chain, or all the work shared among those who may work at once. Null where nothing was
 * measured, and where a person has to act first: nobody knows when.
 */
export function timeLeft(facts: EtaFacts): number | null {
  const { graph, members } = facts;
  const all = [...members].flatMap((id) => graph.tasks.get(id) ?? []).filter(isWork);
  const left = all.filter(({ status }) => !isOver(status));
  if (left.some((task) => needsPerson(task, facts))) return null;
  const loads = new Map<TaskId, Load>();
  for (const task of left) {
    const load = loadOf(task, facts);
    if (load === null) return null;
    loads.set(task.id, load);
  }
  const chains = remainingPath(graph, members, ({ id }) => whole(loads.get(id)));
  const chain = largest(chains.values());
  const work = [...loads.values()].reduce((sum, { agentMs }) => sum + agentMs, 0);
  const landing = facts.landsWhole ? longestVerification(all, facts) : 0;
  return Math.max(chain, work / Math.max(1, facts.slots), landing);
}

const isWork = ({ type }: GraphTask): boolean => isDispatchable(type);

const HELD: readonly GraphTask['status'][] = ['failed', 'blocked', 'pinned'];

function needsPerson(task: GraphTask, { graph, members, waits }: EtaFacts): boolean {
  if (HELD.includes(task.status)) return true;
  if (task.status === 'deferred' && !waits.has(task.id)) return true;
  if (task.status !== 'open' && task.status !== 'deferred') return false;
  return blockersOf(graph, task.id).some(({ on, state }) => {
    if (state === 'satisfied' || state === 'skip') return false;
    if (state !== 'waiting') return true;
    const blocker = graph.tasks.get(on);
    // Work of somebody else, whose pace nobody here knows.
    return blocker === undefined || (isWork(blocker) && !members.has(on));
  });
}

type Load = { readonly waitMs: number; readonly agentMs: number; readonly gateMs: number };

const whole = (load: Load | undefined): number =>
  load === undefined ? 0 : load.waitMs + load.agentMs + load.gateMs;

function loadOf({ id, repo, status }: GraphTask, facts: EtaFacts): Load | null {
  const pace = facts.pace.get(repo ?? '');
  const gateMs = pace?.verificationMs ?? 0;
  if (status === 'submitted') return { waitMs: 0, agentMs: 0, gateMs };
  const usual = pace?.attemptMs ?? null;
  if (usual === null) return null;
  const worked = status === 'in_progress' ? (facts.worked.get(id) ?? 0) : 0;
  const waitMs = Math.max(0, facts.waits.get(id) ?? 0);
  return { waitMs, agentMs: Math.max(0, usual - Math.max(0, worked)), gateMs };
}

const longestVerification = (tasks: readonly GraphTask[], { pace }: EtaFacts): number =>
  largest(tasks.map(({ repo }) => pace.get(repo ?? '')?.verificationMs ?? 0));

function largest(values: Iterable<number>): number {
  let most = 0;
  for (const value of values) most = Math.max(most, value);
  return most;
}
