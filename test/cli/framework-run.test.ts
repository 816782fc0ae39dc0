import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import type { AnyRoute } from '../../src/contract/route.ts';
import type { Client } from '../../src/client/client.ts';
import { main } from '../../src/cli/main.ts';
import { fakeHost } from './fake-host.ts';

type Called = { id: string; params?: unknown; query?: unknown; body?: unknown };

const TASK = {
  id: 'web-a3f',
  repo: 'main',
  title: 'Evil \u001b[2Jtitle',
  misdeeds: [],
  asks: [],
  description: 'one\ntwo',
  acceptance: [],
  type: 'task',
  status: 'merged',
  priority: 1,
  parent: null,
  labels: ['api'],
  assignee: null,
  estimate_minutes: null,
  due_at: null,
  defer_until: null,
  external_ref: null,
  metadata: {},
  agent: null,
  verify: null,
  own_branch: false,
  depends_on: [{ id: 'web-b', kind: 'blocks', level: 'merged' }],
  blocks: [],
  attempts: 2,
  convoy: 'cv-1',
  outcome: null,
  created_at: '2026-01-02T03:00:05Z',
  created_by: 'me',
  updated_at: '2026-01-02T03:04:05Z',
  merged: {
    commit: 'a'.repeat(40),
    tree: 'b'.repeat(40),
    target: 'main',
    proof: 'ancestor',
    unverified: true,
  },
};

/** Runs a command line against an API that answers what the test says. */
async function asked(argv: readonly string[], answers: Record<string, unknown>, stdin = '') {
  const calls: Called[] = [];
  const answer = async (route: AnyRoute, input: object): Promise<unknown> => {
    calls.push(JSON.parse(JSON.stringify({ id: route.id, ...input })));
    const body = answers[route.id];
    const value = typeof body === 'function' ? body(input) : body;
    return { ok: true, value };
  };
  const client = { call: answer, fetch: async () => new Response() } as unknown as Client;
  const host = fakeHost({
    env: { USER: 'ada' },
    stdin: Readable.from([stdin]),
    connect: async () => ({ ok: true, value: client }),
  });
  const code = await main(argv, host);
  return { code, calls, ...host.printed };
}

test('task create sends what was named and nothing else', async () => {
  const { calls, out } = await asked(
    [
      'task',
      'create',
      'Do it',
      '-p',
      'P1',
      '--label',
      'api',
      '--after',
      'web-b',
      '-d',
      '-',
      '--due',
      '2026-02-01',
    ],
    { 'task.create': { task: TASK } },
    'from stdin',
  );
  expect(calls).toEqual([
    {
      id: 'task.create',
      body: {
        title: 'Do it',
        priority: 1,
        labels: ['api'],
        depends_on: [{ on: 'web-b' }],
        description: 'from stdin',
        due_at: '2026-02-01T00:00:00.000Z',
      },
    },
  ]);
  expect(out).toBe('web-a3f  Evil title\n');
});

test('task edit clears a field with an empty value, and refuses to change nothing', async () => {
  const { calls } = await asked(['task', 'edit', 'web-a', '--assignee', '', '--description', ''], {
    'task.edit': { task: TASK },
  });
  expect(calls[0]?.body).toEqual({ assignee: null, description: '' });
  const nothing = await asked(['task', 'edit', 'web-a'], {});
  expect(nothing).toMatchObject({ code: 2, calls: [] });
});

test('task show prints what is known, cleaned, with the proof and its doubt', async () => {
  const { out } = await asked(['task', 'show', 'web-a'], { 'task.show': { task: TASK } });
  expect(out).not.toContain('\u001b');
  expect(out).toContain('✓ merged');
  expect(out).toContain(`${'a'.repeat(12)} in main (ancestor, unverified)`);
  expect(out).toContain('web-b (blocks, merged)');
  expect(out).toContain('(4m ago)');
});

const pages = ({ query }: { query: { cursor?: string; limit: number } }) =>
  query.cursor === undefined
    ? { tasks: [TASK, TASK], next: 'more' }
    : { tasks: [TASK].slice(0, query.limit), next: null };

test('task list follows the pages to the end, or to the limit', async () => {
  const all = await asked(['task', 'list', '--json'], { 'task.list': pages });
  expect(JSON.parse(all.out).tasks).toHaveLength(3);
  const two = await asked(['task', 'list', '--limit', '2', '--json'], { 'task.list': pages });
  expect(JSON.parse(two.out).tasks).toHaveLength(2);
  expect(two.calls).toHaveLength(1);
});

test('create reads budgets and base branches, asking for the repository only when it must', async () => {
  const convoy = {
    convoy: { id: 'cv-1', title: 'X', status: 'open', progress: { done: 0, required: 1 } },
  };
  const repos = { repos: [{ name: 'main' }] };
  const { calls, out } = await asked(
    [
      'create',
      'X',
      'web-a',
      '--budget',
      '5,minutes=30',
      '--base-branch',
      'dev',
      '--base-branch',
      'api=v2',
    ],
    { 'convoy.create': convoy, 'repo.list': repos },
  );
  expect(calls.map(({ id }) => id)).toEqual(['repo.list', 'convoy.create']);
  expect(calls[1]?.body).toEqual({
    title: 'X',
    tasks: ['web-a'],
    launch: false,
    budget: { usd: 5, minutes: 30 },
    base_branches: { main: 'dev', api: 'v2' },
  });
  expect(out).toBe('cv-1  ● open  0/1  X\n');
  const wrong = await asked(['create', 'X', '--budget', 'euros=5'], {});
  expect(wrong).toMatchObject({ code: 2, calls: [] });
  const which = await asked(['create', 'X', '--base-branch', 'dev'], {
    'repo.list': { repos: [{ name: 'a' }, { name: 'b' }] },
  });
  expect(which.code).toBe(2);
  expect(which.err).toContain('one of: a, b');
});

test('settings are numbers, booleans and lists where they look like it, else text', async () => {
  const repo = { repo: { name: 'main', path: '.', url: null, parked: null } };
  const { calls } = await asked(
    [
      'repo',
      'set',
      'main',
      'slots=4',
      'review_each=true',
      'setup=["npm","ci"]',
      'agent=mine',
      'target=1.x',
      'a=b=c',
    ],
    { 'repo.set': repo },
  );
  expect(calls[0]?.body).toEqual({
    set: {
      slots: 4,
      review_each: true,
      setup: ['npm', 'ci'],
      agent: 'mine',
      target: '1.x',
      a: 'b=c',
    },
  });
});

test('repo add tells a path from an address', async () => {
  const repo = { 'repo.add': { repo: { name: 'x', path: null, url: null, parked: null } } };
  const bodies = await Promise.all(
    ['../api', 'https://h/x.git', 'git@h:x.git'].map(
      async (source) => (await asked(['repo', 'add', source], repo)).calls[0]?.body,
    ),
  );
  expect(bodies).toEqual([{ path: '/api' }, { url: 'https://h/x.git' }, { url: 'git@h:x.git' }]);
});

const event = (seq: number) => ({ seq, at: 't', kind: 'k', subject: 's', actor: 'a', data: {} });

test('events prints one JSON document per line, page by page', async () => {
  const { out, calls, code } = await asked(
    ['events', '--after', '7', '--limit', '1001', '--json'],
    {
      'events.list': ({ query }: { query: { after: number; limit: number } }) => ({
        events: Array.from({ length: query.limit }, (_, at) => event(query.after + at + 1)),
      }),
    },
  );
  const lines = out
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(code).toBe(0);
  expect(lines.map(({ seq }) => seq)).toEqual(Array.from({ length: 1001 }, (_, at) => at + 8));
  expect(lines[0]).toMatchObject({ schema: 'convoy.v1', kind: 'k' });
  expect(calls).toHaveLength(2);
});

test('stage shows tree, waves and findings, and an error is exit 1', async () => {
  const row = { type: 'task', status: 'open', repo: 'main', depth: 0, blocked_by: [] };
  const report = {
    status: 'error',
    convoy_id: null,
    title: 'T',
    restaged: false,
    launched: false,
    errors: [{ code: 'cycle', message: 'a waits for itself', ids: ['a'], fix: 'remove the edge' }],
    warnings: [],
    notices: [],
    gated: [],
    outside: [],
    inferred: [],
    critical_path: ['a'],
    waves: [{ number: 1, tasks: [{ id: 'a', title: 'A', repo: 'main', blocked_by: [] }] }],
    tree: [
      { ...row, id: 'e', title: 'Epic', parent: 'gone' },
      { ...row, id: 'a', title: 'A', parent: 'e' },
    ],
    estimate: { minutes: 0, critical_path_minutes: 0 },
  };
  const { code, out } = await asked(['stage', 'e'], { 'convoy.stage': report });
  expect(code).toBe(1);
  expect(out.split('\n')).toEqual([
    'e  Epic  ○ open',
    '└─ a  A  ○ open',
    '',
    'WAVE  TASK      REPO  TITLE       BLOCKED BY',
    '   1  a *       main  A',
    '* on the critical path',
    '',
    'Errors (1)',
    '  1. cycle: a waits for itself',
    '     a',
    '     fix: remove the edge',
    '',
    'Not staged: nothing was written.',
    '',
  ]);
});

test('config get prints a bare value, a section, or that there is none', async () => {
  const config = {
    'config.get': {
      path: '/w/config.toml',
      values: [
        { key: 'repos.main.target', value: 'main', source: 'file', where: 'config.toml:3' },
        { key: 'repos.main.slots', value: 2, source: 'default', where: '' },
      ],
    },
  };
  expect((await asked(['config', 'get', 'repos.main.target'], config)).out).toBe('main\n');
  expect((await asked(['config', 'get', 'repos.main'], config)).out).toBe(
    'repos.main.target = "main"\nrepos.main.slots = 2\n',
  );
  expect((await asked(['config', 'get', 'repos.mai'], config)).code).toBe(3);
});
