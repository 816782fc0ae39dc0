import type { Dependency } from './dependency.ts';
import type { AttemptId, ChangeId, Instant, TaskId } from './ids.ts';
import type { Merged, TaskCore } from './task.ts';

/** What can be asked of a task. Imperative in; see events.ts for what comes out. */
export type TaskCommand =
  | { readonly type: 'edit'; readonly patch: TaskPatch }
  | { readonly type: 'add-dependency'; readonly dependency: Dependency }
  | { readonly type: 'remove-dependency'; readonly on: TaskId; readonly kind: string | null }
  | { readonly type: 'number-child' }
  | { readonly type: 'hold'; readonly reason: string }
  | { readonly type: 'defer'; readonly until: Instant | null }
  | { readonly type: 'pin' }
  | { readonly type: 'release' }
  | { readonly type: 'start'; readonly attempt: AttemptId }
  | { readonly type: 'submit'; readonly attempt: AttemptId; readonly change: ChangeId }
  | {
      readonly type: 'give-back';
      readonly attempt: AttemptId;
      readonly reason: string;
      readonly retryAt: Instant | null;
      /** It asked to be tried later, which is no failure: the attempt does not count. */
      readonly uncounted?: true;
    }
  /** The same change, in the queue once more. */
  | { readonly type: 'resubmit'; readonly attempt: AttemptId; readonly change: ChangeId }
  | { readonly type: 'rework'; readonly change: ChangeId; readonly reason: string }
  | { readonly type: 'merge'; readonly change: ChangeId; readonly merged: Merged }
  /** Said by an attempt or about a change, it counts only while that one holds the task. */
  | {
      readonly type: 'fail';
      readonly reason: string;
      readonly attempt?: AttemptId;
      readonly change?: ChangeId;
    }
  | { readonly type: 'roll-up'; readonly to: 'in_progress' | 'closed' | 'open' }
  | { readonly type: 'close'; readonly outcome: string }
  | { readonly type: 'skip'; readonly reason: string }
  | { readonly type: 'cancel'; readonly reason: string }
  | { readonly type: 'retry'; readonly reason: string }
  | { readonly type: 'reopen'; readonly reason: string };

/** The fields that may be changed after creation; absent means unchanged. */
export type TaskPatch = Partial<
  Pick<
    TaskCore,
    | 'repo'
    | 'title'
    | 'description'
    | 'acceptance'
    | 'type'
    | 'priority'
    | 'labels'
    | 'parent'
    | 'assignee'
    | 'estimateMinutes'
    | 'dueAt'
    | 'externalRef'
    | 'metadata'
    | 'agent'
    | 'verify'
    | 'ownBranch'
    | 'extra'
  >
>;
