import { describe, expect, test } from 'vitest';
import { readBeads, readBeadsLine, type BeadsTask } from './beads-read.ts';

const NOW = Date.UTC(2026, 0, 1);
const read = (row: object): BeadsTask => {
  const found = readBeads(row, NOW);
  if (found.kind !== 'task') throw new Error(JSON.stringify(found));
  return found;
};

describe('GT-180 kinds of rows', () => {
  test.each([
    [{ _schema: 3 }, { kind: 'header' }],
    [{ _type: 'memory', key: 'k', value: 'v' }, { kind: 'memory' }],
    [
      { id: 'a', title: 'x', status: 'tombstone' },
      { kind: 'tombstone', id: 'a' },
    ],
    [
      { id: 'a', title: 'x', wisp: true },
      { kind: 'wisp', id: 'a' },
    ],
    [
      { id: 'a', title: 'x', ephemeral: true },
      { kind: 'wisp', id: 'a' },
    ],
    [{ id: 'a' }, { kind: 'bad', why: 'it has no title' }],
    [{ title: '  ' }, { kind: 'bad', why: 'it has no title' }],
    [
      { title: 'x', id: 7 },
      { kind: 'bad', why: 'its id is not a word of at most 200 characters' },
    ],
    [
      { title: 'x', id: 'a b' },
      { kind: 'bad', why: 'its id is not a word of at most 200 characters' },
    ],
    [
      { title: 'x', _type: 'poem' },
      { kind: 'bad', why: 'unknown kind of row: poem' },
    ],
    [{ title: 'y'.repeat(501) }, { kind: 'bad', why: 'its title is longer than 500 characters' }],
    [[], { kind: 'bad', why: 'not an object' }],
    [null, { kind: 'bad', why: 'not an object' }],
  ])('%j', (row, kind) => expect(readBeads(row, NOW)).toEqual(kind));

  test('a line that is no JSON shows how it begins', () => {
    expect(readBeadsLine('{"title": ', NOW)).toEqual({ kind: 'bad', why: 'not JSON: {"title":' });
    expect(readBeadsLine(`"${'long '.repeat(30)}"`, NOW)).toEqual({
      kind: 'bad',
      why: 'not an object: "long long long long long long long long long long long long…',
    });
    expect(readBeadsLine('  ', NOW)).toBeNull();
    expect(readBeadsLine('\uFEFF{"title":"x"}', NOW)).toMatchObject({ kind: 'task' });
  });

  test('what is nested without end is turned away, not thrown at', () => {
    const line = `{"title":"x","deep":${'['.repeat(100_000)}${']'.repeat(100_000)}}`;
    expect(readBeadsLine(line, NOW)).toEqual({
      kind: 'bad',
      why: 'it is nested deeper than 200 levels',
    });
  });
});

test('GT-180 only the title is required', () => {
  const { id, core, state, changedAt } = read({ title: 'x' });
  expect([id, changedAt]).toEqual([null, null]);
  expect(core).toMatchObject({
    title: 'x',
    type: 'task',
    priority: 2,
    createdAt: NOW,
    updatedAt: NOW,
  });
  expect(state).toEqual({ status: 'open', retryAt: null, lastFailure: null });
});

test('GT-180 priority 0 is not the absent one', () => {
  expect(read({ title: 'x', priority: 0 }).core.priority).toBe(0);
  expect(read({ title: 'x', priority: null }).core.priority).toBe(2);
});

test.each([
  [{ status: 'open' }, { status: 'open', retryAt: null, lastFailure: null }],
  [{ status: 'in_progress' }, { status: 'open', retryAt: null, lastFailure: null }],
  [
    { status: 'open', defer_until: '2026-02-01T00:00:00Z' },
    { status: 'deferred', until: Date.UTC(2026, 1, 1) },
  ],
  [{ status: 'deferred' }, { status: 'deferred', until: null }],
  [{ status: 'pinned' }, { status: 'pinned' }],
  [{ status: 'blocked' }, { status: 'blocked', reason: 'held before the import' }],
  [{ status: 'triage' }, { status: 'blocked', reason: 'custom status "triage"' }],
  [{ status: 'closed' }, { status: 'closed', outcome: 'closed before the import', at: NOW }],
  [
    { status: 'closed', close_reason: 'done', closed_at: '2025-01-01T01:00:00+01:00' },
    { status: 'closed', outcome: 'done', at: Date.UTC(2025, 0, 1) },
  ],
  [
    {
      status: 'blocked',
      _convoy: { state: { status: 'failed', reason: 'red', at: '2025-01-01T00:00:00Z' } },
    },
    { status: 'failed', reason: 'red', at: Date.UTC(2025, 0, 1) },
  ],
  // Another tool closed it since: its word counts.
  [
    { status: 'closed', _convoy: { state: { status: 'failed', reason: 'red' } } },
    { status: 'closed', outcome: 'closed before the import', at: NOW },
  ],
])('state of %j', (row, state) => expect(read({ title: 'x', ...row }).state).toEqual(state));

test.each([
  ['feat', 'feature'],
  ['gate', 'decision'],
  ['message', 'milestone'],
  ['anything', 'task'],
  ['epic', 'epic'],
])('the type %s is a %s', (word, type) => {
  expect(read({ title: 'x', issue_type: word }).core.type).toBe(type);
});

test.each([
  ['2025-05-06T07:08:09.123456789Z', Date.UTC(2025, 4, 6, 7, 8, 9, 123)],
  ['2025-05-06T07:08:09.5+05:30', Date.UTC(2025, 4, 6, 1, 38, 9, 500)],
  ['2025-05-06T07:08:09-0200', Date.UTC(2025, 4, 6, 9, 8, 9)],
  ['2025-05-06 07:08', Date.UTC(2025, 4, 6, 7, 8)],
  ['2025-05-06', Date.UTC(2025, 4, 6)],
  ['2025-02-31T00:00:00Z', null],
  ['2025-13-01T00:00:00Z', null],
  ['soon', null],
  [12, null],
])('due at %j', (text, at) => expect(read({ title: 'x', due_at: text }).core.dueAt).toBe(at));

test('edges: kinds, levels, children, parent, other workspaces, and what is wrong', () => {
  const { core, badEdges } = read({
    id: 'a',
    title: 'x',
    dependencies: [
      { issue_id: 'a', depends_on_id: 'e', type: 'parent-child', created_at: 'c' },
      { depends_on_id: 'b', type: 'blocks', metadata: '{"level":"submitted"}' },
      { depends_on_id: 'c', type: 'waits-for', metadata: '{"gate":"any-children","by":"me"}' },
      { depends_on_id: 'external:lib:z', type: 'blocks' },
      { depends_on_id: 'd', dep_type: 'related' },
      { depends_on_id: 'f', type: 'parent-child' },
      { issue_id: 'other', depends_on_id: 'b', type: 'blocks' },
      { type: 'blocks' },
      'b',
    ],
  });
  expect(core.parent).toBe('e');
  expect(core.dependencies).toEqual([
    { on: 'b', kind: 'blocks', level: 'submitted' },
    {
      on: 'c',
      kind: 'waits-for',
      children: 'any',
      extra: { metadata: '{"gate":"any-children","by":"me"}' },
    },
    { on: 'external:lib:z', kind: 'external-blocks' },
    { on: 'd', kind: 'related', extra: { dep_type: 'related' } },
  ]);
  expect(badEdges.map(({ on, why }) => [on, why])).toEqual([
    ['f', 'e is its parent already'],
    ['b', 'it belongs to other'],
    ['', 'depends_on_id is missing'],
    ['', 'not an object'],
  ]);
});

test.each([
  [
    '- [ ] a\n- [x] b\n',
    [
      { text: 'a', done: false },
      { text: 'b', done: true },
    ],
  ],
  [
    '* a\n  more\n\n+ b',
    [
      { text: 'a\nmore', done: false },
      { text: 'b', done: false },
    ],
  ],
  ['It works.\n- and more', [{ text: 'It works.\n- and more', done: false }]],
  ['', []],
])('acceptance criteria %j', (text, criteria) => {
  expect(read({ title: 'x', acceptance_criteria: text }).core.acceptance).toEqual(criteria);
});
