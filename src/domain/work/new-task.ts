import type { Instant, RepoName, TaskId } from './ids.ts';
import { DEFAULT_PRIORITY, type Task, type TaskCore } from './task.ts';

/** What the one who writes a task down may say; the rest has a default. */
export type TaskDraft = { readonly title: string; readonly repo: RepoName | null } & Partial<
  Omit<
    TaskCore,
    'id' | 'title' | 'repo' | 'attempts' | 'childCount' | 'createdAt' | 'createdBy' | 'updatedAt'
  >
> & { readonly deferUntil?: Instant | null };

/** A task as it is on the day it is written down. */
export function newTask(id: TaskId, draft: TaskDraft, by: string, at: Instant): Task {
  const { deferUntil, ...given } = draft;
  const core: TaskCore = {
    ...BLANK,
    ...given,
    id,
    attempts: 0,
    childCount: 0,
    createdAt: at,
    createdBy: by,
    updatedAt: at,
  };
  return deferUntil == null
    ? { ...core, status: 'open', retryAt: null, lastFailure: null }
    : { ...core, status: 'deferred', until: deferUntil };
}

const BLANK = {
  description: '',
  acceptance: [],
  type: 'task',
  priority: DEFAULT_PRIORITY,
  labels: [],
  parent: null,
  assignee: null,
  estimateMinutes: null,
  dueAt: null,
  externalRef: null,
  metadata: {},
  agent: null,
  verify: null,
  ownBranch: false,
  dependencies: [],
  extra: {},
} as const;
