import type { PullRequest, PullRequestState } from '../../../ports/forge.ts';

/** What we read of GitHub's pull request, whether from a list or by itself. */
export type GitHubPull = {
  readonly number: number;
  readonly html_url: string;
  readonly state: string;
  readonly body: string | null;
  readonly merged_at: string | null;
  readonly merge_commit_sha: string | null;
  readonly head: { readonly ref: string; readonly sha: string };
  readonly base: { readonly ref: string };
  readonly merged_by?: { readonly login: string } | null;
};

export function pullOf(pull: GitHubPull): PullRequest {
  const merged = pull.merged_at !== null;
  return {
    number: pull.number,
    url: pull.html_url,
    state: merged ? 'merged' : pull.state === 'open' ? 'open' : 'closed',
    branch: pull.head.ref,
    base: pull.base.ref,
    head: pull.head.sha,
    body: pull.body ?? '',
    // While it is open this names a trial merge, which is nothing that landed.
    mergeCommit: merged ? pull.merge_commit_sha : null,
    endedBy: pull.merged_by?.login ?? null,
  };
}

export type GitHubReview = {
  readonly state: string;
  readonly user: { readonly login: string } | null;
};

/** The last word of each reviewer counts; a comment takes nothing back. */
export function reviewOf(
  reviews: readonly GitHubReview[],
): Pick<PullRequestState, 'review' | 'reviewers'> {
  const last = new Map<string, string>();
  for (const { state, user } of reviews)
    if (['APPROVED', 'CHANGES_REQUESTED', 'DISMISSED'].includes(state))
      last.set(user?.login ?? 'somebody', state);
  const who = (state: string): string[] =>
    [...last].flatMap(([login, said]) => (said === state ? [login] : []));
  const against = who('CHANGES_REQUESTED');
  if (against.length > 0) return { review: 'changes_requested', reviewers: against };
  const pro = who('APPROVED');
  return { review: pro.length > 0 ? 'approved' : 'none', reviewers: pro };
}

export type GitHubCheck = {
  readonly name: string;
  readonly status: string;
  readonly conclusion: string | null;
};
export type GitHubStatus = { readonly context: string; readonly state: string };

const GOOD_ENDS = ['success', 'neutral', 'skipped'];

export function checksOf(
  runs: readonly GitHubCheck[],
  statuses: readonly GitHubStatus[],
): PullRequestState['checks'] {
  const red = [
    ...runs.flatMap(({ name, status, conclusion }) =>
      status === 'completed' && !GOOD_ENDS.includes(conclusion ?? '') ? [name] : [],
    ),
    ...statuses.flatMap(({ context, state }) =>
      state === 'failure' || state === 'error' ? [context] : [],
    ),
  ];
  if (red.length > 0) return { state: 'red', red };
  if (runs.length + statuses.length === 0) return { state: 'none', red };
  const pending =
    runs.some(({ status }) => status !== 'completed') ||
    statuses.some(({ state }) => state === 'pending');
  return { state: pending ? 'pending' : 'green', red };
}

const BLOCKS: Readonly<Record<string, string>> = {
  blocked: 'a required review or check is missing',
  behind: 'the branch has to be brought up to date with its base',
  dirty: 'it conflicts with its base',
  draft: 'it is a draft',
};

export const blockedBecause = (mergeableState: string): string | null =>
  BLOCKS[mergeableState] ?? null;
