import type { AuthorPlan, PlannedFile } from '../domain/ship/author/author-plan.ts';
import type { CarryPlan } from '../domain/ship/author/carry.ts';
import type { AuthorLane } from '../domain/ship/author/lane.ts';
import type { Provenance } from '../domain/ship/author/provenance.ts';
import type { Survey } from '../domain/ship/author/survey.ts';
import type { Result } from '../lib/result.ts';
import type { Answer, CommitId, NoAnswer, Worktrees } from './repository.ts';

export type { AuthorPlan, PlannedFile } from '../domain/ship/author/author-plan.ts';
export type { CarryPlan } from '../domain/ship/author/carry.ts';
export type { AuthorLane } from '../domain/ship/author/lane.ts';
export type { Survey } from '../domain/ship/author/survey.ts';

/** One git command, standing in the user's checkout. */
export type GitStep = {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly input?: string | Buffer;
  readonly maxBytes?: number;
  /** Cut the output off instead of failing. */
  readonly truncate?: boolean;
};

export type GitAnswer = {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
  readonly truncated: boolean;
};

/** Runs git without hooks, prompts or foreign configuration; whoever composes it sees to that. */
export type GitRunner = (step: GitStep) => Promise<Result<GitAnswer, NoAnswer>>;

/** What an author needs to work on one repository. */
export type AuthorPlace = {
  /** The user's checkout; nothing in it is ever written. */
  readonly workTree: string;
  /** A directory of our own, outside the repository. */
  readonly scratch: string;
  readonly git: GitRunner;
  readonly worktrees: Pick<Worktrees, 'acquire' | 'release'>;
};

/** What stands in the repository where files might go. */
export type Surveyed = {
  /** Null until there is a first commit. */
  readonly base: CommitId | null;
  readonly survey: Survey;
  readonly provenance: Provenance | null;
};

export type AuthorRequest = {
  readonly planId: string;
  readonly project: string;
  readonly lanes: readonly AuthorLane[];
  /** The commit the plan was made from. */
  readonly base: CommitId;
  /** What was shown; these bytes are written and no others. */
  readonly files: readonly PlannedFile[];
  readonly agreed?: ReadonlySet<string>;
  /** The uncommitted work that was shown and approved; null to carry nothing. */
  readonly carry: { readonly plan: CarryPlan; readonly subject: string } | null;
  /** Where the branch was left by an earlier run; null when there must be none. */
  readonly expected: CommitId | null;
  /** Milliseconds since 1970. */
  readonly at: number;
};

export type Authored = {
  readonly branch: string;
  readonly commit: CommitId;
  readonly fixCommit: CommitId | null;
  /** A detached checkout of the commit, for whoever builds or deploys from it. */
  readonly worktree: string;
  /** The name the checkout is lent under. */
  readonly owner: string;
  readonly written: readonly string[];
  readonly carried: readonly string[];
};

/** More uncommitted files than anybody could look through at a gate. */
export type TooManyChanges = {
  readonly kind: 'too_many_changes';
  readonly files: number;
  readonly most: number;
};

/** Nothing was changed. */
export type AuthorRefusal =
  | { readonly kind: 'bad_plan_id'; readonly planId: string }
  | { readonly kind: 'not_owned'; readonly path: string; readonly reason: string }
  | { readonly kind: 'does_not_parse'; readonly path: string; readonly problems: readonly string[] }
  | { readonly kind: 'changed_since_shown'; readonly paths: readonly string[] }
  | TooManyChanges
  | { readonly kind: 'unknown_base'; readonly base: string }
  | { readonly kind: 'branch_moved'; readonly branch: string; readonly now: CommitId | null }
  | { readonly kind: 'branch_in_use'; readonly branch: string; readonly checkout: string };

/** Writes deployment files on a branch of its own and leaves the user's checkout as it is. */
export interface Author {
  survey(lanes: readonly AuthorLane[], project: string): Answer<Surveyed>;
  /** The whole plan, from a fresh survey. */
  plan(
    input: Pick<AuthorRequest, 'lanes' | 'project' | 'agreed'> & {
      readonly generatedAt: string;
      readonly improved?: ReadonlyMap<string, string>;
    },
  ): Answer<AuthorPlan & { readonly base: CommitId | null }>;
  /** What the developer has not committed, file by file; writes nothing to the repository. */
  carry(): Answer<CarryPlan, TooManyChanges | { readonly kind: 'no_commit' }>;
  perform(request: AuthorRequest): Answer<Authored, AuthorRefusal>;
  /** Gives the checkout back; the branch stays. */
  release(owner: string): Answer<void>;
}
