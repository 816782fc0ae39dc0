import type { WorkGraph } from '../graph/work-graph.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { type AfterFailure, goesOnAfter } from './after-failure.ts';
import { blockersOf } from './blockers.ts';
import type { Blocker } from './blockers.ts';
import type { TaskId } from './ids.ts';
import { holds, waits } from './readiness-reason.ts';
import type { Reason } from './readiness-reason.ts';

/** What other work says against starting a task: one reason for each edge that has not let go. */
export function readinessBlockers(
  graph: WorkGraph,
  id: TaskId,
  afterFailure: AfterFailure = 'hold',
): Reason[] {
  if (!graph.tasks.has(id)) {
    return [
      holds('blocker_unknown', [id], `${id} is not in the graph, so its blockers are unknown.`),
    ];
  }
  const reasons = new Map<string, Reason>();
  for (const blocker of blockersOf(graph, id)) {
    if (afterFailure === 'continue' && goesOnAfter(graph, blocker)) continue;
    const reason = reasonFor(graph, blocker);
    // Edges of two kinds to one blocker often say the same.
    if (reason) reasons.set(reason.message, reason);
  }
  return [...reasons.values()];
}

function reasonFor(graph: WorkGraph, blocker: Blocker): Reason | null {
  const reason = direct(graph, blocker);
  const { via } = blocker;
  if (!reason || via === null) return reason;
  return {
    code: 'epic_inherits',
    ids: [...reason.ids, via],
    held: reason.held,
    message: `Inherited from ${via}: ${reason.message}`,
  };
}

function direct(graph: WorkGraph, blocker: Blocker): Reason | null {
  const { on, kind, state } = blocker;
  switch (state) {
    case 'satisfied':
      return null;
    case 'waiting':
      return waiting(graph, blocker);
    case 'failed':
      return holds('blocked_by_failure', [on], `Blocked by failure: ${whatFailed(blocker)}.`);
    case 'cancelled':
      return holds('blocked_by_cancelled', [on], `Blocked by ${on}, which was cancelled.`);
    case 'gate':
      return holds('gated_by_decision', [on], `Gated by ${on}, which a person must close.`);
    case 'skip':
      return waits('condition_not_met', [on], `Needed only if ${on} fails, and it did not.`);
    case 'unknown':
      return holds('blocker_unknown', [on], `Blocked by ${on} (${kind}), which is not known here.`);
    default:
      return unreachable(state);
  }
}

const whatFailed = ({ on, kind }: Blocker): string =>
  kind === 'waits-for' ? `${on} or a child of it failed` : `${on} failed`;

function waiting(graph: WorkGraph, { on, kind, level }: Blocker): Reason {
  const status = graph.tasks.get(on)?.status ?? 'unknown';
  if (kind === 'conditional-blocks') {
    return waits('condition_pending', [on], `Runs only if ${on} fails; it is ${status}.`);
  }
  if (kind === 'waits-for') {
    return waits('blocked_by_open', [on], `Waits for the children of ${on}.`);
  }
  if (status === 'submitted') {
    return waits('blocked_by_submitted', [on], `Waits for ${on} to be merged; it is submitted.`);
  }
  if (status === 'closed') {
    return holds('blocked_by_open', [on], `Waits for ${on} to be merged; it was closed without.`);
  }
  return waits('blocked_by_open', [on], `Blocked by ${on} (${status}), waits for ${level}.`);
}
