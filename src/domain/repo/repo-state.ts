import type { Instant, RepoName } from '../work/ids.ts';

/** What changes about a repository while Convoy runs; everything else is configuration. */
export type RepoState = {
  readonly name: RepoName;
  /** Why nothing starts here, or null. */
  readonly parked: string | null;
  readonly since: Instant | null;
};

export type RepoEvent =
  | { readonly type: 'repo-parked'; readonly name: RepoName; readonly reason: string }
  | { readonly type: 'repo-unparked'; readonly name: RepoName };

export function evolveRepo(_: RepoState | null, event: RepoEvent, at: Instant): RepoState {
  return event.type === 'repo-parked'
    ? { name: event.name, parked: event.reason, since: at }
    : { name: event.name, parked: null, since: null };
}
