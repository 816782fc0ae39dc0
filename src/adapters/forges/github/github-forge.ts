import { err, ok } from '../../../lib/result.ts';
import type {
  Forge,
  ForgeAnswer,
  ForgeProblem,
  MergeWish,
  PullRequest,
  PullRequestState,
} from '../../../ports/forge.ts';
import type { Client } from './client.ts';
import type { Slug } from './slug.ts';
import { blockedBecause, checksOf, pullOf, reviewOf } from './state.ts';

/** Pages of a list; a pull request with more than a thousand reviews is nobody's. */
const PAGE = 100;

export function githubForge(client: Client, { host, owner, repo }: Slug): Forge {
  const at = { owner, repo };
  return {
    name: `${host}/${owner}/${repo}`,
    find: (branch) => find(client, at, branch),
    create: async ({ branch, base, title, body }) => {
      const made = await client.ask('other', ({ rest }) =>
        rest.pulls.create({ ...at, head: branch, base, title, body }),
      );
      return made.ok ? ok(pullOf(made.value.data)) : made;
    },
    update: async (number, { body }) => {
      const changed = await client.ask('other', ({ rest }) =>
        rest.pulls.update({ ...at, pull_number: number, body }),
      );
      return changed.ok ? ok(pullOf(changed.value.data)) : changed;
    },
    read: (number) => read(client, at, number),
    merge: (number, wish) => merge(client, at, number, wish),
    comment: async (number, text) => {
      const said = await client.ask('other', ({ rest }) =>
        rest.issues.createComment({ ...at, issue_number: number, body: text }),
      );
      return said.ok ? ok(undefined) : said;
    },
    close: (number) => setState(client, at, number, 'closed'),
    reopen: (number) => setState(client, at, number, 'open'),
  };
}

type At = { readonly owner: string; readonly repo: string };

async function find(client: Client, at: At, branch: string): ForgeAnswer<PullRequest | null> {
  const listed = await client.ask('other', ({ rest }) =>
    rest.pulls.list({
      ...at,
      head: `${at.owner}:${branch}`,
      state: 'all',
      sort: 'created',
      direction: 'desc',
      per_page: PAGE,
    }),
  );
  if (!listed.ok) return listed;
  // GitHub ignores a `head` it cannot read and then lists everything.
  const ours = listed.value.data.filter(({ head }) => head.ref === branch).map(pullOf);
  return ok(ours.find(({ state }) => state === 'open') ?? ours[0] ?? null);
}

async function read(client: Client, at: At, number: number): ForgeAnswer<PullRequestState> {
  const got = await client.ask('other', ({ rest }) =>
    rest.pulls.get({ ...at, pull_number: number }),
  );
  if (!got.ok) return got;
  const { data } = got.value;
  const pull = pullOf(data);
  // What has ended is not reviewed any more; that saves three requests a look.
  if (pull.state !== 'open')
    return ok({
      ...pull,
      endedBy: pull.endedBy ?? (await closedBy(client, at, number)),
      ...NOT_ASKED,
    });
  const said = await client.ask('other', async (octokit) => {
    const { pulls, checks, repos } = octokit.rest;
    return {
      reviews: await octokit.paginate(pulls.listReviews, {
        ...at,
        pull_number: number,
        per_page: PAGE,
      }),
      runs: await octokit.paginate(checks.listForRef, { ...at, ref: pull.head, per_page: PAGE }),
      statuses: await octokit.paginate(repos.listCommitStatusesForRef, {
        ...at,
        ref: pull.head,
        per_page: PAGE,
      }),
    };
  });
  if (!said.ok) return said;
  const { reviews, runs, statuses } = said.value;
  return ok({
    ...pull,
    mergeable: data.mergeable,
    blocked: data.draft === true ? blockedBecause('draft') : blockedBecause(data.mergeable_state),
    ...reviewOf(reviews),
    checks: checksOf(runs, newestOfEach(statuses)),
  });
}

const NOT_ASKED = {
  mergeable: null,
  blocked: null,
  review: 'none',
  reviewers: [],
  checks: { state: 'none', red: [] },
} as const;

/** The list has every status ever set, newest first. */
const newestOfEach = <T extends { readonly context: string }>(statuses: readonly T[]): T[] => [
  ...new Map(statuses.toReversed().map((status) => [status.context, status])).values(),
];

/** A pull request is an issue too, and only the issue says who closed it. */
async function closedBy(client: Client, at: At, number: number): Promise<string | null> {
  const issue = await client.ask('other', ({ rest }) =>
    rest.issues.get({ ...at, issue_number: number }),
  );
  return issue.ok ? (issue.value.data.closed_by?.login ?? null) : null;
}

async function merge(
  client: Client,
  at: At,
  number: number,
  { head, strategy, title, message }: MergeWish,
): ForgeAnswer<{ commit: string }> {
  const merged = await client.ask('merge', ({ rest }) =>
    rest.pulls.merge({
      ...at,
      pull_number: number,
      sha: head,
      merge_method: strategy,
      // A rebase keeps the commits' own messages.
      ...(strategy === 'rebase' ? {} : { commit_title: title, commit_message: message }),
    }),
  );
  if (merged.ok) return ok({ commit: merged.value.data.sha });
  return merged.error.kind === 'not_mergeable'
    ? why(client, at, number, head, merged.error)
    : merged;
}

/** GitHub says "not mergeable" of one that is closed or merged already, too. */
async function why(
  client: Client,
  at: At,
  number: number,
  head: string,
  refused: Extract<ForgeProblem, { kind: 'not_mergeable' }>,
): ForgeAnswer<{ commit: string }> {
  const now = await client.ask('other', ({ rest }) =>
    rest.pulls.get({ ...at, pull_number: number }),
  );
  if (!now.ok) return err(refused);
  const pull = pullOf(now.value.data);
  if (pull.state === 'merged' && pull.mergeCommit !== null && pull.head === head)
    return ok({ commit: pull.mergeCommit });
  if (pull.state !== 'open') return err({ ...refused, because: 'closed' });
  if (pull.head !== head) return err({ ...refused, because: 'head_moved' });
  if (refused.because !== 'other') return err(refused);
  const { mergeable, mergeable_state: state } = now.value.data;
  if (mergeable === false) return err({ ...refused, because: 'conflict' });
  const held = state === 'blocked' || state === 'behind';
  return err(held ? { ...refused, because: 'protected' } : refused);
}

async function setState(
  client: Client,
  at: At,
  number: number,
  state: 'open' | 'closed',
): ForgeAnswer<void> {
  const changed = await client.ask('other', ({ rest }) =>
    rest.pulls.update({ ...at, pull_number: number, state }),
  );
  return changed.ok ? ok(undefined) : changed;
}
