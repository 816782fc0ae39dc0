import type { ChangeId } from '../work/ids.ts';

/** Everything the planner may know about one queue (one repository and one target branch). */
export type QueueView = {
  readonly head: Head;
  /** Changes that wait, are being verified or wait for their push, in the order of `orderQueue`. */
  readonly entries: readonly QueueEntry[];
  /** Changes already on the target that `needs` or earlier verdicts still mention. */
  readonly landed: ReadonlySet<ChangeId>;
  /** Changes that left because they failed alone, and that earlier verdicts still mention. */
  readonly failed: ReadonlySet<ChangeId>;
  /** How many verifications may run at the same time. */
  readonly slots: number;
  readonly running: readonly Verification[];
  /** Some of them are about to answer, by `answersDueUntil`. */
  readonly answersDue: boolean;
  /**
   * What gates have answered, oldest first: at least every answer that names a change still here.
   * A person's retry removes those that name the retried change.
   */
  readonly verdicts: readonly Verdict[];
  /**
   * What merging onto the head has shown, by `stackKey`. The planner asks, the loop answers; no tree
   * is guessed. Stacks on earlier heads may be dropped.
   */
  readonly stacks: ReadonlyMap<string, Stack>;
  /** Share of changes that fail on their own, from `expectedRedShare`; sets the size of groups. */
  readonly redShare: number;
  /** A broken gate or a person has stopped the queue: nothing is verified and nothing lands. */
  readonly paused: boolean;
  /** The target cannot be moved now (failed push, dirty checkout): verify on, land nothing. */
  readonly held: boolean;
};

/** The commit the target branch points at. */
export type Head = { readonly commit: string; readonly tree: string };

export type QueueEntry = {
  readonly id: ChangeId;
  /** Changes that must be on the target, or below this one in the same stack. */
  readonly needs: readonly ChangeId[];
  /** Landings that went past this change while it stood before a landed one. */
  readonly overtaken: number;
};

/** A gate run over a stack of changes on top of a commit. */
export type Verification = {
  readonly id: string;
  readonly base: string;
  readonly tree: string;
  readonly members: readonly ChangeId[];
};

/** A gate's final answer about one tree. Anything that is no answer never gets here. */
export type Verdict = {
  readonly base: string;
  readonly tree: string;
  readonly members: readonly ChangeId[];
  readonly colour: 'green' | 'red';
};

/** What came out of merging changes one after the other onto a commit, leaving out those that conflict. */
export type Stack = {
  readonly tree: string;
  readonly members: readonly ChangeId[];
  readonly leftOut: readonly ChangeId[];
};

export type QueueStep =
  /** Merge these in this order onto the base, leave out what conflicts, report the stack. */
  | { readonly do: 'merge-tree'; readonly base: string; readonly members: readonly ChangeId[] }
  | {
      readonly do: 'verify';
      readonly base: string;
      readonly tree: string;
      readonly members: readonly ChangeId[];
    }
  | { readonly do: 'cancel'; readonly verification: string }
  /** Compare-and-swap the target from `base` to this verified tree. */
  | {
      readonly do: 'land';
      readonly base: string;
      readonly tree: string;
      readonly members: readonly ChangeId[];
    }
  | { readonly do: 'eject'; readonly id: ChangeId; readonly because: 'red' | 'conflict' };

/** The name of a stack's fact: a commit and the changes asked for on top of it. */
export const stackKey = (base: string, members: readonly ChangeId[]): string =>
  [base, ...members].join(' ');
