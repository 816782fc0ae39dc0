import type { Instant, RepoName } from '../work/ids.ts';

/** What changes about a repository while Convoy runs; everything else is configuration. */
export type RepoState = {
  readonly name: RepoName;
  /** Why nothing starts here, or null. */
  readonly parked: string | null;
  readonly since: Instant | null;
};

export type RepoEvent =
  | { readonly type: 'repo-parked'; readonly reason: string }
  | { readonly type: 'repo-unparked' };

export function evolveRepo(
  name: RepoName,
  state: RepoState | null,
  event: RepoEvent,
  at: Instant,
): RepoState {
  const parked = event.type === 'repo-parked' ? event.reason : null;
  return { ...state, name, parked, since: parked === null ? null : at };
}
