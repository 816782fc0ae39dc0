import type { ChangeId, Instant, RepoName } from '../work/ids.ts';

/** One queue: a repository and a target branch. */
export type Queue = {
  readonly id: string;
  readonly repo: RepoName;
  readonly target: string;
  /** Why nothing is verified and nothing lands, or null. */
  readonly paused: { readonly by: 'gate' | 'person'; readonly reason: string } | null;
  /** Why the target cannot be moved at the moment, or null. */
  readonly held: string | null;
  /** A landing that was about to happen; after a crash git says whether it did. */
  readonly landing: Landing | null;
  /** The commit of the last landing, until a person accepts that the target lost it. */
  readonly landed?: string | null;
  /** The address the target is pushed to, as first seen. */
  readonly remote?: string | null;
  /** Since when it does not move although it could; null or absent while it does. */
  readonly stalledAt?: Instant | null;
  readonly merged: number;
  readonly red: number;
  readonly since: Instant;
};

export type Landing = {
  readonly base: string;
  readonly commit: string;
  readonly tree: string;
  readonly members: readonly ChangeId[];
};

export type QueueEvent =
  | { readonly type: 'queue-opened'; readonly repo: RepoName; readonly target: string }
  | { readonly type: 'queue-paused'; readonly by: 'gate' | 'person'; readonly reason: string }
  | { readonly type: 'queue-resumed' }
  | { readonly type: 'queue-held'; readonly reason: string }
  | { readonly type: 'queue-released'; readonly by: 'engine' | 'person' }
  | { readonly type: 'remote-recorded'; readonly url: string }
  | { readonly type: 'landing-intended'; readonly landing: Landing }
  | { readonly type: 'landing-settled'; readonly landed?: string }
  | { readonly type: 'queue-stalled'; readonly quietMs: number; readonly reason: string }
  | { readonly type: 'queue-recovered' }
  | { readonly type: 'queue-counted'; readonly merged: number; readonly red: number };

/** Stands for all targets of a repo, also those whose queue opens later. */
export const EVERY_TARGET = '*';

export const queueId = (repo: string, target: string): string => `${repo}:${target}`;

export function evolveQueue(queue: Queue | null, event: QueueEvent, at: Instant): Queue {
  if (event.type === 'queue-opened')
    return {
      id: queueId(event.repo, event.target),
      repo: event.repo,
      target: event.target,
      paused: null,
      held: null,
      landing: null,
      merged: 0,
      red: 0,
      since: at,
    };
  if (queue === null) throw new Error(`The first event of a queue is ${event.type}`);
  switch (event.type) {
    case 'queue-paused':
      return { ...queue, paused: { by: event.by, reason: event.reason } };
    case 'queue-resumed':
      return { ...queue, paused: null };
    case 'queue-held':
      return { ...queue, held: event.reason };
    case 'queue-released':
      // A person's word covers what the target lost and where it is pushed to now.
      return event.by === 'engine'
        ? { ...queue, held: null }
        : { ...queue, held: null, landed: null, remote: null };
    case 'remote-recorded':
      return { ...queue, remote: event.url };
    case 'queue-stalled':
      return { ...queue, stalledAt: at };
    case 'queue-recovered':
      return { ...queue, stalledAt: null };
    case 'landing-intended':
      return { ...queue, landing: event.landing };
    case 'landing-settled':
      return event.landed === undefined
        ? { ...queue, landing: null }
        : { ...queue, landing: null, landed: event.landed };
    default:
      return { ...queue, merged: queue.merged + event.merged, red: queue.red + event.red };
  }
}
