import type { AfterFailure } from './after-failure.ts';
import type { ConvoyId, Instant, RepoName } from './ids.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { holds, waits } from './readiness-reason.ts';
import type { Reason } from './readiness-reason.ts';
import type { Task } from './task.ts';

/** What readiness must know about the world around a task. */
export type ReadinessFacts = {
  readonly now: Instant;
  readonly convoy: ConvoyFacts | null;
  /** The task's repo; null when there is none of that name. */
  readonly repo: RepoFacts | null;
  /** The agent that would take it; null when none is set. */
  readonly agent: AgentFacts | null;
  readonly workspace: { readonly running: number; readonly capacity: number };
  readonly attempts: { readonly budget: number };
  /** What the convoy, or else the repo, says about work behind a failure; `hold` unless it says so. */
  readonly afterFailure?: AfterFailure;
  readonly host: { readonly full: string | null };
  /** Facts that could not be read: the task is then not ready. */
  readonly unreadable: readonly string[];
};

export type ConvoyFacts = {
  readonly id: ConvoyId;
  readonly status:
    | 'staged_ready'
    | 'staged_warnings'
    | 'open'
    | 'paused'
    | 'stalled'
    | 'landing'
    | 'landed'
    | 'closed'
    | 'cancelled';
  readonly feeding: boolean;
  readonly running: number;
  readonly maxParallel: number | null;
  /** What was spent, in words, once it is spent. */
  readonly budgetSpent: string | null;
  /** Why its branch is not on the remotes yet, if so. */
  readonly branchPending?: { readonly reason: string; readonly held: boolean } | null;
};

export type RepoFacts = {
  readonly name: RepoName;
  readonly configured: boolean;
  /** Why it is parked, if it is. */
  readonly parked: string | null;
  readonly running: number;
  readonly capacity: number | null;
  /** Why its gate cannot pass even without a change, if so. */
  readonly gateBroken: string | null;
};

export type AgentFacts = {
  readonly name: string;
  readonly available: boolean;
  readonly why: string | null;
  /** Why nothing is given to it for a while, if so. */
  readonly paused?: string | null;
  readonly running: number;
  readonly capacity: number | null;
};

/** What the world around a task says against starting it. */
export const surroundings = (task: Task, facts: ReadinessFacts): Reason[] => [
  ...facts.unreadable.map((fact) => waits('fact_unreadable', [], `Could not read ${fact}.`)),
  ...convoyReasons(task, facts.convoy),
  ...repoReasons(task, facts.repo),
  ...agentReasons(facts.agent),
  ...busy('workspace', null, facts.workspace),
  ...(facts.host.full === null
    ? []
    : [waits('host_full', [], `The host is full: ${facts.host.full}.`)]),
];

function convoyReasons(task: Task, convoy: ConvoyFacts | null): Reason[] {
  if (!convoy) return [holds('not_in_convoy', [task.id], `${task.id} is in no convoy.`)];
  const { id, budgetSpent, running, maxParallel } = convoy;
  return [
    ...convoyStatus(convoy),
    ...(budgetSpent === null
      ? []
      : [holds('budget_spent', [id], `The budget of ${id} is spent: ${budgetSpent}.`)]),
    ...branchReasons(convoy),
    ...busy('convoy', id, { running, capacity: maxParallel }),
  ];
}

/** Nothing starts on a branch that is not there for everybody. */
function branchReasons({ id, branchPending }: ConvoyFacts): Reason[] {
  if (branchPending === undefined || branchPending === null) return [];
  const { reason, held } = branchPending;
  const message = `The branch of ${id} is pending: ${reason}.`;
  return [held ? holds('branch_pending', [id], message) : waits('branch_pending', [id], message)];
}

function convoyStatus({ id, status, feeding }: ConvoyFacts): Reason[] {
  switch (status) {
    case 'open':
      return feeding
        ? []
        : [holds('convoy_not_feeding', [id], `${id} only tracks; launch it to start its tasks.`)];
    case 'staged_ready':
    case 'staged_warnings':
      return [holds('convoy_staged', [id], `${id} is staged and not launched.`)];
    case 'paused':
      return [holds('convoy_paused', [id], `${id} is paused.`)];
    case 'stalled':
      return [holds('convoy_stalled', [id], `${id} is stalled and needs a decision.`)];
    case 'landing':
    case 'landed':
    case 'closed':
    case 'cancelled':
      return [holds('convoy_finished', [id], `${id} is ${status} and starts nothing more.`)];
    default:
      return unreachable(status);
  }
}

function repoReasons(task: Task, repo: RepoFacts | null): Reason[] {
  if (task.repo === null) return [holds('no_repo', [task.id], `${task.id} names no repo.`)];
  if (!repo?.configured) {
    return [holds('repo_unknown', [task.repo], `The repo ${task.repo} is not configured.`)];
  }
  const { name, parked, gateBroken, running, capacity } = repo;
  return [
    ...(parked === null
      ? []
      : [holds('repo_parked', [name], `The repo ${name} is parked: ${parked}.`)]),
    ...(gateBroken === null
      ? []
      : [holds('gate_broken', [name], `The gate of ${name} is broken: ${gateBroken}.`)]),
    ...busy('repo', name, { running, capacity }),
  ];
}

function agentReasons(agent: AgentFacts | null): Reason[] {
  if (!agent) return [holds('agent_not_available', [], 'No agent is set for this task.')];
  const { name, available, why, running, capacity } = agent;
  if (!available) {
    const because = why === null ? '' : `: ${why}`;
    return [holds('agent_not_available', [name], `The agent ${name} is not available${because}.`)];
  }
  const paused = agent.paused ?? null;
  return [
    ...(paused === null
      ? []
      : [waits('agent_paused', [name], `The agent ${name} is paused: ${paused}.`)]),
    ...busy('agent', name, { running, capacity }),
  ];
}

type Load = { readonly running: number; readonly capacity: number | null };

function busy(where: string, id: string | null, { running, capacity }: Load): Reason[] {
  if (capacity === null || running < capacity) return [];
  const place = id === null ? `the ${where}` : `${where} ${id}`;
  const message = `No capacity in ${place}: ${running} of ${capacity} busy.`;
  return [waits('no_capacity', id === null ? [] : [id], message)];
}
