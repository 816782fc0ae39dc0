import { type Bare, makeBare, mergeInto, type Method } from './bare.ts';

export type FakeReview = { readonly login: string; readonly state: string };
export type FakeCheck = {
  readonly name: string;
  readonly status: 'queued' | 'in_progress' | 'completed';
  readonly conclusion: string | null;
};
export type FakeStatus = { readonly context: string; readonly state: string };

export type FakePull = {
  readonly number: number;
  readonly branch: string;
  readonly base: string;
  readonly title: string;
  body: string;
  state: 'open' | 'closed';
  mergedAt: string | null;
  mergeCommit: string | null;
  endedBy: string | null;
  /** Where the head was when it ended. */
  frozen: string | null;
  readonly reviews: FakeReview[];
  readonly comments: string[];
};

/** What the base branch demands before a merge. */
export type Protection = {
  readonly approvals: number;
  readonly checks: readonly string[];
  readonly upToDate?: boolean;
};

export type Refused = { readonly status: number; readonly message: string };

/** One repository of the fake: its pull requests, and what people do to them. */
export type Hub = {
  readonly slug: string;
  readonly bare: Bare;
  readonly pulls: Map<number, FakePull>;
  readonly checks: Map<string, FakeCheck[]>;
  readonly statuses: Map<string, FakeStatus[]>;
  protection: Protection | null;
  allowed: readonly Method[];
  readonly headOf: (pull: FakePull) => string;
  readonly blocked: (pull: FakePull) => string | null;
  readonly open: (wish: {
    branch: string;
    base: string;
    title: string;
    body: string;
  }) => FakePull | Refused;
  readonly merge: (
    number: number,
    how: { sha: string | null; method: Method; title: string; by: string; force?: boolean },
  ) => { commit: string } | Refused;
  /** People. */
  readonly approve: (number: number, login?: string) => void;
  readonly requestChanges: (number: number, login?: string) => void;
  readonly close: (number: number, login?: string) => void;
  readonly reopen: (number: number) => void;
  /** A person presses the button, past every rule. */
  readonly mergeByHand: (number: number, method?: Method, login?: string) => string;
  readonly check: (number: number, check: FakeCheck) => void;
  readonly only: () => FakePull;
};

export const isRefused = (value: object): value is Refused =>
  'status' in value && 'message' in value;

export function makeHub(root: string, slug: string): Hub {
  const bare = makeBare(root, slug);
  const pulls = new Map<number, FakePull>();
  const hub: Hub = {
    slug,
    bare,
    pulls,
    checks: new Map(),
    statuses: new Map(),
    protection: null,
    allowed: ['merge', 'squash', 'rebase'],
    headOf: (pull) => pull.frozen ?? bare.head(pull.branch) ?? '',
    blocked: (pull) => blockedBy(hub, pull),
    open: (wish) => open(hub, wish),
    merge: (number, how) => merge(hub, number, how),
    approve: (number, login = 'mona') =>
      void at(hub, number).reviews.push({ login, state: 'APPROVED' }),
    requestChanges: (number, login = 'mona') =>
      void at(hub, number).reviews.push({ login, state: 'CHANGES_REQUESTED' }),
    close: (number, login = 'mona') => end(hub, at(hub, number), login),
    reopen: (number) => {
      const pull = at(hub, number);
      Object.assign(pull, { state: 'open', frozen: null, endedBy: null });
    },
    mergeByHand: (number, method = 'merge', login = 'mona') => {
      const done = merge(hub, number, {
        sha: null,
        method,
        title: 'By hand',
        by: login,
        force: true,
      });
      if ('commit' in done) return done.commit;
      throw new Error(done.message);
    },
    check: (number, check) => {
      const sha = hub.headOf(at(hub, number));
      const others = (hub.checks.get(sha) ?? []).filter(({ name }) => name !== check.name);
      hub.checks.set(sha, [...others, check]);
    },
    only: () => {
      if (pulls.size !== 1) throw new Error(`There are ${pulls.size} pull requests`);
      return [...pulls.values()][0] ?? at(hub, 0);
    },
  };
  return hub;
}

function at({ pulls }: Hub, number: number): FakePull {
  const pull = pulls.get(number);
  if (pull === undefined) throw new Error(`There is no pull request ${number}`);
  return pull;
}

function end(hub: Hub, pull: FakePull, login: string): void {
  const frozen = hub.headOf(pull);
  Object.assign(pull, { state: 'closed', endedBy: login, frozen });
}

function open(
  hub: Hub,
  wish: { branch: string; base: string; title: string; body: string },
): FakePull | Refused {
  const { bare, pulls, slug } = hub;
  const [head, base] = [bare.head(wish.branch), bare.head(wish.base)];
  if (head === null || base === null) return invalid('head or base is invalid');
  const again = [...pulls.values()].some(
    ({ state, branch, base: onto }) =>
      state === 'open' && branch === wish.branch && onto === wish.base,
  );
  if (again)
    return invalid(`A pull request already exists for ${slug.split('/')[0]}:${wish.branch}.`);
  if (bare.git('rev-list', '--count', `${base}..${head}`) === '0')
    return invalid(`No commits between ${wish.base} and ${wish.branch}`);
  const number = pulls.size + 1;
  const pull: FakePull = {
    number,
    ...wish,
    state: 'open',
    mergedAt: null,
    mergeCommit: null,
    endedBy: null,
    frozen: null,
    reviews: [],
    comments: [],
  };
  pulls.set(number, pull);
  return pull;
}

const invalid = (message: string): Refused => ({
  status: 422,
  message: `Validation Failed: ${message}`,
});

/** Why GitHub itself would not merge it now. */
function blockedBy(hub: Hub, pull: FakePull): string | null {
  const { protection, checks, bare } = hub;
  if (protection === null) return null;
  const last = new Map(pull.reviews.map(({ login, state }) => [login, state]));
  const yes = [...last.values()].filter((state) => state === 'APPROVED').length;
  if (yes < protection.approvals)
    return `At least ${protection.approvals} approving review is required by reviewers with write access.`;
  const green = (checks.get(hub.headOf(pull)) ?? []).filter(
    ({ conclusion }) => conclusion === 'success',
  );
  const missing = protection.checks.filter((name) => !green.some((check) => check.name === name));
  if (missing.length > 0) return `Required status check "${missing[0]}" is expected.`;
  const base = bare.head(pull.base) ?? '';
  if (
    protection.upToDate === true &&
    bare.git('rev-list', '--count', `${hub.headOf(pull)}..${base}`) !== '0'
  )
    return 'Required branches must be up to date before merging: repository rule violations found.';
  return null;
}

function merge(
  hub: Hub,
  number: number,
  {
    sha,
    method,
    title,
    by,
    force,
  }: { sha: string | null; method: Method; title: string; by: string; force?: boolean },
): { commit: string } | Refused {
  const pull = hub.pulls.get(number);
  if (pull === undefined) return { status: 404, message: 'Not Found' };
  if (pull.state !== 'open') return { status: 405, message: 'Pull Request is not mergeable' };
  const head = hub.headOf(pull);
  if (sha !== null && sha !== head)
    return { status: 409, message: 'Head branch was modified. Review and try the merge again.' };
  if (!hub.allowed.includes(method) && force !== true)
    return { status: 405, message: `${METHODS[method]} are not allowed on this repository.` };
  const blocked = force === true ? null : hub.blocked(pull);
  if (blocked !== null) return { status: 405, message: blocked };
  const commit = mergeInto(hub.bare, pull.base, head, method, `${title} (#${number})`);
  if (commit === null) return { status: 405, message: 'Pull Request is not mergeable' };
  Object.assign(pull, {
    state: 'closed',
    mergedAt: '2026-01-02T03:04:05Z',
    mergeCommit: commit,
    endedBy: by,
    frozen: head,
  });
  return { commit };
}

const METHODS = { merge: 'Merge commits', squash: 'Squash merges', rebase: 'Rebase merges' };
