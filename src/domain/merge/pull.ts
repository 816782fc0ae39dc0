import type { Instant } from '../work/ids.ts';

/** The pull request of a change, as far as we know it. */
export type Pull = {
  /** The branch that is pushed and proposed. */
  readonly branch: string;
  /** The commit that was proposed. */
  readonly head: string;
  /** Null between the intent and its record; then it is found again by its branch. */
  readonly number: number | null;
  readonly url: string | null;
  readonly state: 'intended' | 'open' | 'closed' | 'merged';
  /** Who closed or merged it. */
  readonly by: string | null;
  /** What it waits for, in words. */
  readonly waits: string | null;
  /** Nothing will change by itself: a person has to act. */
  readonly stuck: boolean;
  /** What we asked the forge to put on the target. */
  readonly merging: { readonly onto: string; readonly tree: string } | null;
  /** Why we are to close it. */
  readonly closing: string | null;
  /** A person asked to try once more after it was closed. */
  readonly again: boolean;
};

export type PullCommand =
  | {
      readonly type: 'propose';
      readonly branch: string;
      readonly head: string;
      readonly at: Instant;
    }
  | {
      readonly type: 'record-proposal';
      readonly number: number;
      readonly url: string;
      readonly at: Instant;
    }
  | ({ readonly type: 'see-pull'; readonly at: Instant } & SeenPull)
  | {
      readonly type: 'intend-merge';
      readonly onto: string;
      readonly tree: string;
      readonly at: Instant;
    }
  | { readonly type: 'close-pull'; readonly reason: string; readonly at: Instant };

export type SeenPull = {
  /** `intended`: there is none yet, and `waits` says why. */
  readonly state: Pull['state'];
  readonly by: string | null;
  readonly waits: string | null;
  readonly stuck: boolean;
};

export type PullEvent =
  | {
      readonly type: 'change-proposal-intended';
      readonly branch: string;
      readonly head: string;
      readonly at: Instant;
    }
  | {
      readonly type: 'change-proposed';
      readonly number: number;
      readonly url: string;
      readonly at: Instant;
    }
  | {
      readonly type: 'change-pull-seen';
      readonly state: Pull['state'];
      readonly by: string | null;
      readonly waits: string | null;
      readonly stuck: boolean;
      readonly at: Instant;
    }
  | {
      readonly type: 'change-merge-intended';
      readonly onto: string;
      readonly tree: string;
      readonly at: Instant;
    }
  | { readonly type: 'change-pull-closing'; readonly reason: string; readonly at: Instant };

/** What a command would change about a pull request; nothing when it is so already. */
export function decidePull(pull: Pull | undefined, command: PullCommand): PullEvent[] {
  switch (command.type) {
    case 'propose': {
      const { branch, head, at } = command;
      return [{ type: 'change-proposal-intended', branch, head, at }];
    }
    case 'record-proposal': {
      const { number, url, at } = command;
      const same = pull?.number === number && pull.state === 'open';
      return same ? [] : [{ type: 'change-proposed', number, url, at }];
    }
    case 'see-pull': {
      const { state, by, waits, stuck, at } = command;
      return isAsSeen(pull, command)
        ? []
        : [{ type: 'change-pull-seen', state, by, waits, stuck, at }];
    }
    case 'intend-merge':
      return [
        { type: 'change-merge-intended', onto: command.onto, tree: command.tree, at: command.at },
      ];
    default:
      return pull === undefined || pull.closing !== null || isOver(pull)
        ? []
        : [{ type: 'change-pull-closing', reason: command.reason, at: command.at }];
  }
}

const isAsSeen = (pull: Pull | undefined, seen: SeenPull): boolean =>
  pull?.state === seen.state &&
  pull.by === seen.by &&
  pull.waits === seen.waits &&
  pull.stuck === seen.stuck;

const isOver = ({ state }: Pull): boolean => state === 'closed' || state === 'merged';

export function evolvePull(pull: Pull | undefined, event: PullEvent): Pull | undefined {
  if (event.type === 'change-proposal-intended') {
    const { branch, head } = event;
    // A second proposal of the same branch goes on in the same pull request.
    const before = pull?.branch === branch ? pull : undefined;
    return {
      branch,
      head,
      number: before?.number ?? null,
      url: before?.url ?? null,
      state: 'intended',
      by: null,
      waits: null,
      stuck: false,
      merging: null,
      closing: null,
      again: before?.again ?? false,
    };
  }
  if (pull === undefined) return undefined;
  switch (event.type) {
    case 'change-proposed':
      return { ...pull, number: event.number, url: event.url, state: 'open', again: false };
    case 'change-pull-seen': {
      const { state, by, waits, stuck } = event;
      return { ...pull, state, by, waits, stuck };
    }
    case 'change-merge-intended':
      return { ...pull, merging: { onto: event.onto, tree: event.tree } };
    default:
      return { ...pull, closing: event.reason };
  }
}

/** Whether there is, or may be, an open pull request on the forge. */
export const mayBeOpen = (pull: Pull | undefined): pull is Pull =>
  pull !== undefined && (pull.state === 'open' || pull.state === 'intended');

/** What a forge shows of a pull request that decides whether it may be merged. */
export type PullFacts = {
  readonly head: string;
  readonly mergeable: boolean | null;
  readonly blocked: string | null;
  readonly review: 'approved' | 'changes_requested' | 'none';
  readonly reviewers: readonly string[];
  readonly checks: {
    readonly state: 'green' | 'red' | 'pending' | 'none';
    readonly red: readonly string[];
  };
};

export type PullPolicy = 'approved' | 'green' | 'never';

/** A person's word in Convoy about the same head, next to what reviewers say on the forge. */
export type OwnWord =
  | { readonly kind: 'none' | 'approved' }
  | { readonly kind: 'rejected'; readonly by: string; readonly reason: string | null };

export type PullVerdict =
  | { readonly kind: 'ready' }
  | { readonly kind: 'waits'; readonly why: string; readonly stuck: boolean };

/** Whether Convoy may merge it now; a no of anybody outweighs every yes. */
export function mayMerge(
  policy: PullPolicy,
  proposed: string,
  facts: PullFacts,
  own: OwnWord,
): PullVerdict {
  if (facts.head !== proposed)
    return waits(`its branch was pushed to by somebody else (${facts.head.slice(0, 10)})`, true);
  if (own.kind === 'rejected')
    return waits(`${own.by} said no${own.reason === null ? '' : `: ${own.reason}`}`, true);
  const why = objection(facts) ?? missingWord(policy, facts, own) ?? unfinished(facts);
  return why === null ? { kind: 'ready' } : waits(why);
}

const waits = (why: string, stuck = false): PullVerdict => ({ kind: 'waits', why, stuck });

function objection({ review, reviewers, checks }: PullFacts): string | null {
  if (review === 'changes_requested') return `${reviewers.join(', ')} asked for changes`;
  return checks.state === 'red' ? `checks failed: ${checks.red.join(', ')}` : null;
}

function missingWord(policy: PullPolicy, { review }: PullFacts, own: OwnWord): string | null {
  if (policy === 'never') return 'a person is to merge it';
  const isApproved = review === 'approved' || own.kind === 'approved';
  return policy === 'approved' && !isApproved ? 'it needs an approval' : null;
}

function unfinished({ checks, mergeable, blocked }: PullFacts): string | null {
  if (checks.state === 'pending') return 'its checks run';
  return mergeable === null ? 'the forge has not said yet whether it merges' : blocked;
}
