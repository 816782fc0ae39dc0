import { type FakePull, type Hub, isRefused, type Refused } from './hub.ts';
import type { Method } from './bare.ts';

/** What the fake answers; lists are paged by the server. */
export type Reply = { readonly status: number; readonly body: unknown };

export type Asked = {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  // oxlint-disable-next-line typescript/no-explicit-any -- whatever a client sends
  readonly body: any;
  readonly login: string;
};

type Route = readonly [string, RegExp, (hub: Hub, asked: Asked, id: string) => Reply];

/** The routes that Convoy uses, as GitHub documents them. */
const ROUTES: readonly Route[] = [
  ['GET', /^\/pulls$/, (hub, asked) => ({ status: 200, body: listed(hub, asked) })],
  [
    'POST',
    /^\/pulls$/,
    (hub, { body }) => {
      const made = hub.open({
        branch: body.head,
        base: body.base,
        title: body.title,
        body: body.body ?? '',
      });
      return isRefused(made) ? refused(made) : { status: 201, body: pullJson(hub, made) };
    },
  ],
  [
    'GET',
    /^\/pulls\/(\d+)$/,
    (hub, _, id) => withPull(hub, id, (pull) => ({ status: 200, body: pullJson(hub, pull) })),
  ],
  [
    'PATCH',
    /^\/pulls\/(\d+)$/,
    (hub, { body, login }, id) =>
      withPull(hub, id, (pull) => {
        if (typeof body.body === 'string') pull.body = body.body;
        if (body.state === 'closed' && pull.state === 'open') hub.close(pull.number, login);
        if (body.state === 'open' && pull.state === 'closed') hub.reopen(pull.number);
        return { status: 200, body: pullJson(hub, pull) };
      }),
  ],
  [
    'GET',
    /^\/pulls\/(\d+)\/reviews$/,
    (hub, _, id) =>
      withPull(hub, id, ({ reviews }) => ({
        status: 200,
        body: reviews.map(({ login, state }, at) => ({ id: at + 1, state, user: { login } })),
      })),
  ],
  [
    'PUT',
    /^\/pulls\/(\d+)\/merge$/,
    (hub, { body, login }, id) => {
      const done = hub.merge(Number(id), {
        sha: body.sha ?? null,
        method: methodOf(body.merge_method),
        title: body.commit_title ?? 'Merge',
        by: login,
      });
      return isRefused(done)
        ? refused(done)
        : {
            status: 200,
            body: { sha: done.commit, merged: true, message: 'Pull Request successfully merged' },
          };
    },
  ],
  [
    'POST',
    /^\/issues\/(\d+)\/comments$/,
    (hub, { body }, id) =>
      withPull(hub, id, ({ comments }) => {
        comments.push(body.body);
        return { status: 201, body: { id: comments.length, body: body.body } };
      }),
  ],
  [
    'GET',
    /^\/issues\/(\d+)$/,
    (hub, _, id) =>
      withPull(hub, id, ({ number, endedBy }) => ({
        status: 200,
        body: { number, closed_by: endedBy === null ? null : { login: endedBy } },
      })),
  ],
  [
    'GET',
    /^\/commits\/(\w+)\/check-runs$/,
    (hub, _, sha) => ({
      status: 200,
      body: {
        total_count: hub.checks.get(sha)?.length ?? 0,
        check_runs: hub.checks.get(sha) ?? [],
      },
    }),
  ],
  [
    'GET',
    /^\/commits\/(\w+)\/statuses$/,
    (hub, _, sha) => ({ status: 200, body: hub.statuses.get(sha) ?? [] }),
  ],
];

export function route(hub: Hub, asked: Asked): Reply {
  for (const [method, pattern, answer] of ROUTES) {
    const found = method === asked.method ? pattern.exec(asked.path) : null;
    if (found !== null) return answer(hub, asked, found[1] ?? '');
  }
  return { status: 404, body: { message: 'Not Found' } };
}

const refused = ({ status, message }: Refused): Reply => {
  const [first = '', ...rest] = message.split(': ');
  return status === 422
    ? { status, body: { message: first, errors: [{ message: rest.join(': ') }] } }
    : { status, body: { message } };
};

const methodOf = (text: unknown): Method =>
  text === 'squash' || text === 'rebase' ? text : 'merge';

function withPull(hub: Hub, id: string, answer: (pull: FakePull) => Reply): Reply {
  const pull = hub.pulls.get(Number(id));
  return pull === undefined ? { status: 404, body: { message: 'Not Found' } } : answer(pull);
}

function listed(hub: Hub, { query }: Asked): object[] {
  const head = query.get('head')?.split(':')[1] ?? null;
  const state = query.get('state') ?? 'open';
  return [...hub.pulls.values()]
    .filter(
      (pull) =>
        (head === null || pull.branch === head) && (state === 'all' || pull.state === state),
    )
    .toReversed()
    .map((pull) => pullJson(hub, pull));
}

export function pullJson(hub: Hub, pull: FakePull): object {
  const head = hub.headOf(pull);
  const base = hub.bare.head(pull.base) ?? '';
  const mergeable = pull.state === 'open' ? hub.bare.merged(base, head).tree !== null : null;
  return {
    number: pull.number,
    html_url: `https://github.example/${hub.slug}/pull/${pull.number}`,
    state: pull.state,
    title: pull.title,
    body: pull.body,
    draft: false,
    merged: pull.mergedAt !== null,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeCommit,
    merged_by: pull.mergedAt === null ? null : { login: pull.endedBy },
    mergeable,
    mergeable_state:
      mergeable === false ? 'dirty' : hub.blocked(pull) === null ? 'clean' : 'blocked',
    head: { ref: pull.branch, sha: head },
    base: { ref: pull.base, sha: base },
  };
}
