import type { GraphTask } from './work-graph.ts';
import { attemptId, changeId } from '../work/ids.ts';
import type { Task, TaskState, TaskStatus } from '../work/task.ts';

/** Fills a graph's task up to a whole one, for tests. */
export const givenTask = (task: GraphTask, more: Partial<Task> = {}): Task =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a test may mix any fields
  ({
    description: '',
    acceptance: [],
    labels: [],
    assignee: null,
    dueAt: null,
    externalRef: null,
    metadata: {},
    agent: null,
    verify: null,
    ownBranch: false,
    attempts: 0,
    childCount: 0,
    extra: {},
    createdBy: 'ann',
    updatedAt: 0,
    ...task,
    ...STATES[task.status],
    ...more,
  }) as Task;

/** A plain example of each state. */
const STATES: Readonly<Record<TaskStatus, TaskState>> = {
  open: { status: 'open', retryAt: null, lastFailure: null },
  in_progress: { status: 'in_progress', attempt: attemptId('a1'), since: 0 },
  submitted: { status: 'submitted', attempt: attemptId('a1'), change: changeId('c1'), since: 0 },
  merged: {
    status: 'merged',
    merged: { target: 'main', commit: 'c', tree: 't', proof: 'ancestor', unverified: false },
    at: 0,
  },
  closed: { status: 'closed', outcome: 'done', at: 0 },
  failed: { status: 'failed', reason: 'tests fail', at: 0 },
  skipped: { status: 'skipped', reason: 'not needed', at: 0 },
  cancelled: { status: 'cancelled', reason: 'not wanted', at: 0 },
  deferred: { status: 'deferred', until: null },
  pinned: { status: 'pinned' },
  blocked: { status: 'blocked', reason: 'wait for legal' },
};
