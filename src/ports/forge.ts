import type { Result } from '../lib/result.ts';

/** One repository on a forge: where pull requests are opened, discussed and merged. */
export interface Forge {
  /** What people call it: `github.com/acme/shop`. */
  readonly name: string;
  /** The newest pull request of a branch of this repository; one that is open wins over closed ones. */
  find(branch: string): ForgeAnswer<PullRequest | null>;
  create(wish: PullRequestWish): ForgeAnswer<PullRequest>;
  update(number: number, text: { readonly body: string }): ForgeAnswer<PullRequest>;
  read(number: number): ForgeAnswer<PullRequestState>;
  /** Merges exactly the commit the caller has seen; a head that moved is refused. */
  merge(number: number, wish: MergeWish): ForgeAnswer<{ readonly commit: string }>;
  comment(number: number, text: string): ForgeAnswer<void>;
  close(number: number): ForgeAnswer<void>;
  reopen(number: number): ForgeAnswer<void>;
}

export type ForgeAnswer<T> = Promise<Result<T, ForgeProblem>>;

export type PullRequestWish = {
  /** A branch of the same repository, pushed before. */
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  readonly body: string;
};

export type MergeWish = {
  readonly head: string;
  readonly strategy: 'merge' | 'squash' | 'rebase';
  readonly title: string;
  readonly message: string;
};

export type PullRequest = {
  readonly number: number;
  readonly url: string;
  readonly state: 'open' | 'closed' | 'merged';
  readonly branch: string;
  readonly base: string;
  /** The commit its branch points at. */
  readonly head: string;
  readonly body: string;
  /** What the forge says was put on the base; git has to agree. */
  readonly mergeCommit: string | null;
  /** Who closed or merged it, where the forge says so. */
  readonly endedBy: string | null;
};

export type PullRequestState = PullRequest & {
  /** Null while the forge still computes it. */
  readonly mergeable: boolean | null;
  /** The forge itself holds it back: a required review or check is missing, or the base moved on. */
  readonly blocked: string | null;
  readonly review: 'approved' | 'changes_requested' | 'none';
  /** Who approved, or who asked for changes. */
  readonly reviewers: readonly string[];
  readonly checks: {
    readonly state: 'green' | 'red' | 'pending' | 'none';
    readonly red: readonly string[];
  };
};

/** Why a forge did not do it. No text in here ever holds the token. */
export type ForgeProblem =
  | { readonly kind: 'not_authorised'; readonly detail: string }
  | { readonly kind: 'not_found'; readonly detail: string }
  /** Asking again before `until` (milliseconds since 1970) is of no use. */
  | { readonly kind: 'rate_limited'; readonly until: number; readonly detail: string }
  | { readonly kind: 'not_mergeable'; readonly because: NotMergeable; readonly detail: string }
  /** No answer, or one that says nothing: may be asked again. */
  | { readonly kind: 'unreachable'; readonly detail: string }
  | { readonly kind: 'invalid'; readonly detail: string };

export type NotMergeable = 'head_moved' | 'protected' | 'conflict' | 'method' | 'closed' | 'other';

/** Finds the forge behind a remote's address. */
export interface Forges {
  open(remoteUrl: string): Promise<Result<Forge, NoForge>>;
}

/** Why there is no forge, and what would change that. */
export type NoForge = {
  readonly kind: 'unknown_host' | 'no_token';
  readonly reason: string;
  readonly remedy: string;
};

/** What a problem is called in a sentence. */
export function forgeWords(problem: ForgeProblem): string {
  switch (problem.kind) {
    case 'not_authorised':
      return `the forge refuses the token: ${problem.detail}`;
    case 'not_found':
      return `the forge does not know it: ${problem.detail}`;
    case 'rate_limited':
      return `the forge allows no more requests until ${new Date(problem.until).toISOString()}`;
    case 'not_mergeable':
      return `the forge does not merge it (${problem.because.replaceAll('_', ' ')}): ${problem.detail}`;
    case 'unreachable':
      return `the forge did not answer: ${problem.detail}`;
    default:
      return `the forge refuses it: ${problem.detail}`;
  }
}
