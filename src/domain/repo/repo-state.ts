import { unreachable } from '../../lib/unreachable.ts';
import { type Trouble, troubled } from '../remote/trouble.ts';
import type { Instant, RepoName } from '../work/ids.ts';

/** What changes about a repository while Convoy runs; everything else is configuration. */
export type RepoState = {
  readonly name: RepoName;
  /** Why nothing starts here, or null. */
  readonly parked: string | null;
  readonly since: Instant | null;
  /** Where branches of Convoy's own also live; absent until a convoy begins that has such a place. */
  readonly origin?: Origin;
};

export type Origin = {
  /** As first seen; another one needs a person's word. Null after that word, until it is seen again. */
  readonly address: string | null;
  /** Why nothing gets through, or null. */
  readonly trouble: Trouble | null;
};

export type RepoEvent =
  | { readonly type: 'repo-parked'; readonly name: RepoName; readonly reason: string }
  | { readonly type: 'repo-unparked'; readonly name: RepoName }
  | { readonly type: 'origin-recorded'; readonly name: RepoName; readonly address: string }
  | {
      readonly type: 'origin-troubled';
      readonly name: RepoName;
      readonly reason: string;
      readonly held: boolean;
      readonly repeated: boolean;
    }
  | { readonly type: 'origin-recovered'; readonly name: RepoName }
  | { readonly type: 'origin-released'; readonly name: RepoName };

export function evolveRepo(state: RepoState | null, event: RepoEvent, at: Instant): RepoState {
  const now: RepoState = state ?? { name: event.name, parked: null, since: null };
  const origin = now.origin ?? NO_ORIGIN;
  switch (event.type) {
    case 'repo-parked':
      return { ...now, parked: event.reason, since: at };
    case 'repo-unparked':
      return { ...now, parked: null, since: null };
    case 'origin-recorded':
      return { ...now, origin: { ...origin, address: event.address } };
    case 'origin-troubled':
      return { ...now, origin: { ...origin, trouble: troubled(origin.trouble, event, at) } };
    case 'origin-recovered':
      return { ...now, origin: { ...origin, trouble: null } };
    case 'origin-released':
      return { ...now, origin: NO_ORIGIN };
    default:
      return unreachable(event);
  }
}

const NO_ORIGIN: Origin = { address: null, trouble: null };
