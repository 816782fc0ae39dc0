import type { Result } from '../lib/result.ts';

/** Full object names as git prints them. */
export type CommitId = string;
export type TreeId = string;
/** A branch without `refs/heads/`. */
export type BranchName = string;

/** No answer: nothing is known, the caller may ask again. */
export type NoAnswer =
  | {
      readonly kind: 'errored';
      readonly reason: ErroredReason;
      readonly what: string;
      readonly detail: string;
    }
  | { readonly kind: 'stopped'; readonly what: string };

export type ErroredReason =
  | 'git_missing'
  | 'git_failed'
  | 'timed_out'
  | 'output_too_large'
  | 'busy'
  | 'remote_down'
  | 'io';

export type Answer<T, F = never> = Promise<Result<T, F | NoAnswer>>;

/** One repository that Convoy works on. */
export interface Repository {
  readonly facts: RepositoryFacts;
  readonly branches: Branches;
  readonly worktrees: Worktrees;
  readonly merges: Merges;
  readonly landing: Landing;
  readonly remote: Remote;
}

export type NotARepository = { readonly kind: 'not_a_repository'; readonly path: string };
export type UnknownRevision = { readonly kind: 'unknown_revision'; readonly revision: string };

/** Questions about what git holds; none of them changes anything. */
export interface RepositoryFacts {
  describe(): Answer<Description>;
  defaultBranch(): Answer<BranchName, { readonly kind: 'no_default_branch' }>;
  /** The commit a branch points at, or null when there is no such branch. */
  head(branch: BranchName): Answer<CommitId | null>;
  /** The commit a revision means, if git still has the object. */
  resolve(revision: string): Answer<CommitId, UnknownRevision>;
  treeOf(commit: CommitId): Answer<TreeId, UnknownRevision>;
  isAncestor(ancestor: CommitId, of: CommitId): Answer<boolean, UnknownRevision>;
  mergeBase(a: CommitId, b: CommitId): Answer<CommitId | null, UnknownRevision>;
  /** What `head` has and `base` lacks, newest first. */
  commitsAhead(base: CommitId, head: CommitId): Answer<readonly CommitInfo[], UnknownRevision>;
  /** What `head` changed since it left `base`. */
  changedPaths(base: CommitId, head: CommitId): Answer<readonly ChangedPath[], UnknownRevision>;
  diff(base: CommitId, head: CommitId, limits?: { bytes?: number }): Answer<Diff, UnknownRevision>;
  /** Everything that speaks against submitting a change: its size, its places, secrets in it. */
  objections(
    base: CommitId,
    head: CommitId,
    limits?: Partial<SubmitLimits>,
  ): Answer<readonly SubmitObjection[], UnknownRevision>;
}

export type Description = {
  readonly bare: boolean;
  readonly workTree: string | null;
  readonly gitDir: string;
  /** False until the current branch has its first commit. */
  readonly born: boolean;
  readonly currentBranch: BranchName | null;
  readonly remotes: readonly { readonly name: string; readonly url: string }[];
  readonly submodules: boolean;
};

export type CommitInfo = {
  readonly commit: CommitId;
  readonly subject: string;
  readonly author: string;
  readonly email: string;
  readonly authoredAt: number;
};

export type ChangedPath = {
  readonly path: string;
  readonly change: 'added' | 'modified' | 'deleted' | 'type_changed';
  /** Lines, or null for a binary file. */
  readonly added: number | null;
  readonly removed: number | null;
  /** A symbolic link or a submodule is not a plain file. */
  readonly sort: 'file' | 'symlink' | 'submodule';
};

export type Diff = { readonly text: string; readonly truncated: boolean };

/** What a repository allows a submitted change to be. */
export type SubmitLimits = {
  readonly files: number;
  readonly lines: number;
  readonly diffBytes: number;
  /** Folders or files the change must stay in; empty means anywhere. */
  readonly allowedPaths: readonly string[];
};

export type SubmitObjection =
  | { readonly kind: 'too_many_files'; readonly files: number; readonly most: number }
  | { readonly kind: 'too_many_lines'; readonly lines: number; readonly most: number }
  | { readonly kind: 'diff_too_large'; readonly most: number }
  | { readonly kind: 'outside_allowed_paths'; readonly paths: readonly string[] }
  | { readonly kind: 'secrets'; readonly findings: readonly SecretFinding[] };

/** A line that should not be submitted; the value itself is never repeated. */
export type SecretFinding = { readonly file: string; readonly line: number; readonly rule: string };

export type Moved = { readonly kind: 'ref_moved'; readonly now: CommitId | null };
export type InvalidName = { readonly kind: 'invalid_name'; readonly name: string };
export type NameTaken = {
  readonly kind: 'name_taken';
  readonly name: string;
  readonly by: BranchName;
};

export interface Branches {
  /** The branch that occupies this name or blocks it (a branch `a` leaves no room for `a/b`). */
  taken(name: BranchName): Answer<BranchName | null, InvalidName>;
  create(
    name: BranchName,
    at: CommitId,
  ): Answer<void, NameTaken | Moved | InvalidName | UnknownRevision>;
  /** Moves a branch only if it still is where the caller saw it; null means absent. */
  compareAndSwap(
    name: BranchName,
    to: CommitId,
    from: CommitId | null,
  ): Answer<void, Moved | InvalidName | UnknownRevision>;
  remove(name: BranchName, expected: CommitId): Answer<void, Moved>;
  /** Branches under `convoy/`, or under the given prefix of it. */
  list(
    prefix?: string,
  ): Answer<readonly { readonly name: BranchName; readonly commit: CommitId }[]>;
  /** Puts a vanished branch back at its recorded commit while git still has that commit. */
  restore(
    name: BranchName,
    recorded: CommitId,
  ): Answer<'present' | 'restored', UnknownRevision | Moved | NameTaken | InvalidName>;
}

/** A checkout lent to one owner. */
export type Worktree = {
  readonly owner: string;
  readonly path: string;
  readonly gitDir: string;
  /** Null for a detached checkout, as verification uses. */
  readonly branch: BranchName | null;
  readonly head: CommitId;
  /** Whether the directory was used before. */
  readonly reused: boolean;
};

export type AcquireRequest = {
  /** The recorded id the worktree can be found by after a crash. */
  readonly owner: string;
  readonly purpose: 'attempt' | 'verify';
  readonly branch: BranchName | null;
  readonly startPoint: CommitId;
  /**
   * Top-level names that survive reuse of a prepared directory, such as `node_modules`. Whoever had
   * it before could have written there, so verification of untrusted work should keep nothing.
   */
  readonly keep?: readonly string[];
};

/** How a fresh worktree is made ready. */
export type Setup = {
  readonly command: readonly string[];
  /** Files whose contents decide whether an earlier result still counts. */
  readonly lockfiles: readonly string[];
};

/** Runs the set-up command; the git adapter starts nothing but git itself. */
export type SetupRunner = (
  command: readonly string[],
  directory: string,
) => Promise<Result<void, { readonly detail: string }>>;

export type WorkState = 'clean' | 'dirty' | 'merging' | 'rebasing' | 'picking';

export type Rescue =
  | { readonly saved: false; readonly head: CommitId }
  | {
      readonly saved: true;
      readonly commit: CommitId;
      /** The attempt's branch, or a `refs/convoy/rescued/…` ref when the branch went another way. */
      readonly ref: string;
      readonly state: WorkState;
      /** Nested repositories, which cannot be committed as files. */
      readonly skipped: readonly string[];
    };

export interface Worktrees {
  acquire(
    request: AcquireRequest,
  ): Answer<Worktree, UnknownRevision | InvalidName | NameTaken | BranchDiverged>;
  /**
   * Makes free worktrees ready for attempts that will begin at this commit, as many as are not ready yet.
   * Only a hint: nothing depends on it, and it may be repeated.
   */
  warm(commit: CommitId, count: number): Answer<void, UnknownRevision>;
  find(owner: string): Answer<Worktree | null>;
  list(): Answer<readonly Worktree[]>;
  /** Gives the directory back for reuse; its branch stays. */
  release(owner: string): Answer<void>;
  /** Removes every worktree whose owner is not in the list; a few free ones stay for reuse. */
  prune(owners: readonly string[]): Answer<readonly string[]>;
  prepare(
    worktree: Worktree,
    setup: Setup,
    run: SetupRunner,
  ): Answer<
    { readonly cached: boolean },
    { readonly kind: 'setup_failed'; readonly detail: string }
  >;
  state(worktree: Worktree): Answer<WorkState>;
  /**
   * Commits whatever is uncommitted, so that no work is lost. A merge under way is concluded only
   * when asked: then the commit has both sides as parents. With `leaving` nobody works there afterwards,
   * and the worktree's own index is left as it is.
   */
  rescue(
    worktree: Worktree,
    commit: CommitText,
    options?: { readonly concludeMerge?: boolean; readonly leaving?: boolean },
  ): Answer<Rescue>;
  /** Begins a merge and leaves it open in the worktree, conflict markers and all. */
  startMerge(
    worktree: Worktree,
    commit: CommitId,
  ): Answer<{ readonly conflicts: readonly string[] }, UnknownRevision>;
}

export type BranchDiverged = {
  readonly kind: 'branch_diverged';
  readonly branch: BranchName;
  readonly head: CommitId;
};

export type CommitText = {
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly at: number;
};

export type Conflict = {
  readonly kind: 'conflict';
  readonly files: readonly string[];
  readonly messages: readonly string[];
  /** The commit that would not apply, when rebasing. */
  readonly commit?: CommitId;
};
export type UnrelatedHistories = { readonly kind: 'unrelated_histories' };

export type Strategy = 'merge' | 'squash' | 'rebase';

/** What would be landed; nothing points at it yet. */
export type Candidate = {
  readonly commit: CommitId;
  readonly tree: TreeId;
  /** The source was in the target already; `commit` is the target. */
  readonly contained: boolean;
};

/** Merges computed in the object store, without a checkout. */
export interface Merges {
  mergeTrees(
    ours: CommitId,
    theirs: CommitId,
  ): Answer<TreeId, Conflict | UnrelatedHistories | UnknownRevision>;
  build(
    strategy: Strategy,
    target: CommitId,
    source: CommitId,
    commit: CommitText,
  ): Answer<Candidate, Conflict | UnrelatedHistories | UnknownRevision>;
  /** Whether merging the source into the target again would change nothing. */
  alreadyContained(source: CommitId, target: CommitId): Answer<boolean, UnknownRevision>;
}

export type TargetMoved = { readonly kind: 'target_moved'; readonly now: CommitId | null };
export type NotFastForward = { readonly kind: 'not_fast_forward' };
export type TargetCheckoutDirty = {
  readonly kind: 'target_checkout_dirty';
  readonly checkout: string;
  readonly files: readonly string[];
};

export type Proof = {
  readonly landed: CommitId;
  readonly target: BranchName;
  readonly targetHead: CommitId;
  readonly ancestor: boolean;
  readonly treeMatches: boolean;
  readonly contained: boolean;
  readonly holds: boolean;
};

export interface Landing {
  /** Moves a branch, and every clean checkout of it, from one commit to a descendant. */
  advance(
    target: BranchName,
    to: CommitId,
    from: CommitId,
  ): Answer<
    { readonly checkouts: readonly string[] },
    TargetMoved | NotFastForward | TargetCheckoutDirty | UnknownRevision
  >;
  /** Finishes or undoes what a killed `advance` left in a checkout. */
  heal(): Answer<readonly Healed[]>;
  /**
   * Uncommitted files of the user's own checkout that were written since an instant, a few of them. Left
   * out where that cannot be told.
   */
  strays?(since: number): Answer<readonly string[]>;
  prove(
    landed: CommitId,
    target: BranchName,
    source: CommitId,
    verified: TreeId,
  ): Answer<Proof, UnknownRevision>;
}

export type Healed = {
  readonly checkout: string;
  readonly outcome: 'finished' | 'undone';
  /** Files the user changed meanwhile, which were left as they are. */
  readonly kept: readonly string[];
};

export type Push = {
  readonly url: string;
  readonly branch: BranchName;
  readonly commit: CommitId;
  /** Where the remote branch was seen; null to create it. */
  readonly expected: CommitId | null;
  /** Replaces what was seen there; only ever a branch of Convoy's own. */
  readonly rewrite?: true;
};

export type PushRejected = {
  readonly kind: 'push_rejected';
  readonly reason: 'stale' | 'not_fast_forward' | 'refused_by_remote';
  readonly detail: string;
};

/** One of many branches that are sent together; without a commit it is deleted. */
export type BranchUpdate = {
  readonly branch: BranchName;
  readonly commit: CommitId | null;
  /** Where the remote branch was seen; null when it was not there. */
  readonly expected: CommitId | null;
};

/** What became of one update. */
export type Updated = Result<void, PushRejected | UnknownRevision>;

/** Another copy of the repository, named by the URL its owner recorded. */
export interface Remote {
  head(url: string, branch: BranchName): Answer<CommitId | null, InvalidUrl>;
  /** Every branch whose name begins so. Bounded, so that a remote that hangs is soon given up on. */
  list(
    url: string,
    prefix: string,
  ): Answer<readonly { readonly name: BranchName; readonly commit: CommitId }[], InvalidUrl>;
  /** Brings a branch's commits here; null when the remote has no such branch. */
  fetch(url: string, branch: BranchName): Answer<CommitId | null, InvalidUrl>;
  push(push: Push): Answer<void, PushRejected | InvalidUrl | UnknownRevision>;
  /**
   * Sends many branches over one connection, each with its own lease and forward only. One that is
   * rejected holds up none of the others; the answers come in the order of the updates.
   */
  pushAll(url: string, updates: readonly BranchUpdate[]): Answer<readonly Updated[], InvalidUrl>;
  /** Deletes a branch of ours if it still is where we left it. */
  remove(
    url: string,
    branch: BranchName,
    expected: CommitId,
  ): Answer<void, PushRejected | InvalidUrl>;
}

export type InvalidUrl = { readonly kind: 'invalid_url'; readonly url: string };
