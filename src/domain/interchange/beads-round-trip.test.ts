import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { attemptId, changeId, repoName, taskId } from '../work/ids.ts';
import { TASK_TYPES, type Task } from '../work/task.ts';
import { readBeads, readBeadsLine, type BeadsTask } from './beads-read.ts';
import { beadsLine, writeBeads } from './beads-write.ts';
import { planImport } from './import-plan.ts';

const NOW = Date.UTC(2026, 0, 1);

const read = (row: unknown): BeadsTask => {
  const found = readBeads(row, NOW);
  if (found.kind !== 'task') throw new Error(JSON.stringify(found));
  return found;
};
const taskOf = (row: unknown): Task => {
  const { core, id, state } = read(row);
  return { ...core, id: id ?? taskId('new'), ...state };
};
const parsed = (text: string): unknown => JSON.parse(text);
/** The same fields whatever their order; a field called `__proto__` is a field like any other. */
const sorted = (row: object): string =>
  JSON.stringify(Object.entries(row).toSorted(([a], [b]) => (a < b ? -1 : 1)));

const roundTrip = (row: object) => writeBeads(taskOf(row));

describe('what comes in goes out as it was', () => {
  test.each([
    ['a row with a title only', { title: 'x' }],
    ['priority 0', { title: 'x', priority: 0 }],
    ['a priority that we do not have', { title: 'x', priority: 9 }],
    ['a status of their own', { title: 'x', status: 'triage' }],
    ['work in progress', { title: 'x', status: 'in_progress' }],
    ['a type of their own', { title: 'x', issue_type: 'molecule' }],
    ['nanoseconds', { title: 'x', updated_at: '2025-05-06T07:08:09.123456789Z' }],
    ['an offset', { title: 'x', created_at: '2025-05-06T07:08:09+05:30' }],
    ['fields that are null', { title: 'x', closed_at: null, labels: null, metadata: null }],
    [
      'comments',
      {
        title: 'x',
        comments: [
          { id: 7, text: 'a' },
          { id: 'c-8', text: 'b' },
        ],
      },
    ],
    ['an open row with a closing time', { title: 'x', closed_at: '2025-05-06T07:08:09Z' }],
    ['criteria as prose', { title: 'x', acceptance_criteria: 'It works.\n\nAlways.' }],
    ['white space round a title', { title: ' x ' }],
    ['a character that databases refuse', { title: 'x', description: 'a\0b' }],
    ['an edge without words', { title: 'x', dependencies: [{ depends_on_id: 'b' }] }],
    [
      'a parent between other edges',
      {
        title: 'x',
        dependencies: [
          { issue_id: 'a', depends_on_id: 'b', type: 'blocks', created_at: 'long ago' },
          { issue_id: 'a', depends_on_id: 'e', type: 'parent-child', metadata: '{}' },
          { issue_id: 'a', depends_on_id: 'external:lib:z', type: 'blocks', thread_id: 't' },
          {
            issue_id: 'a',
            depends_on_id: 'c',
            type: 'waits-for',
            metadata: { gate: 'any-children' },
          },
        ],
      },
    ],
  ])('GT-180 %s', (_what, fields) => {
    const row = { id: 'a', ...fields };
    expect(roundTrip(row)).toEqual(row);
  });

  test('GT-180 any row, with fields nobody knows', () => {
    fc.assert(
      fc.property(rows, (row) => {
        expect(sorted(roundTrip(row))).toBe(sorted(row));
      }),
    );
  });

  test('GT-180 export, import, export gives the same bytes', () => {
    fc.assert(
      fc.property(rows, (row) => {
        const line = beadsLine(taskOf(row));
        expect(beadsLine(taskOf(parsed(line)))).toBe(line);
      }),
    );
  });

  test('GT-180 import, export, import gives the same task', () => {
    fc.assert(
      fc.property(rows, (row) => {
        const first = read(row);
        const second = read(parsed(beadsLine(taskOf(row))));
        expect([second.core, second.state]).toEqual([first.core, first.state]);
      }),
    );
  });

  test.each([
    ['a field nobody knows', '"ticket":9007199254740993'],
    ['a negative one', '"offset":-12345678901234567890'],
    ['deep inside', '"metadata":{"ids":[{"n":18446744073709551615},7,"18446744073709551615"]}'],
    ['a known field', '"estimated_minutes":9007199254740993'],
    ['a long fraction', '"score":0.12345678901234567890'],
    ['a field with a name of the language', '"constructor":9007199254740993'],
  ])('GT-180 digits beyond what a double holds survive: %s', (_what, field) => {
    const line = `{"id":"a","title":"x",${field}}`;
    const found = readBeadsLine(line, NOW);
    if (found?.kind !== 'task') throw new Error(JSON.stringify(found));
    const task: Task = { id: taskId('a'), ...found.core, ...found.state };
    // As the ledger keeps it: JSON of ours, in which such a number would not survive.
    const kept = JSON.parse(JSON.stringify(task)) as Task;
    expect(beadsLine(kept)).toBe(line);
    expect(beadsLine({ ...kept, title: 'y' })).toBe(line.replace('"x"', '"y"'));
  });

  test('a field that was changed here goes out with the new number', () => {
    const found = readBeadsLine('{"id":"a","title":"x","metadata":{"n":9007199254740993}}', NOW);
    if (found?.kind !== 'task') throw new Error(JSON.stringify(found));
    const task: Task = { id: taskId('a'), ...found.core, ...found.state, metadata: { n: 5 } };
    expect(beadsLine(task)).toBe('{"id":"a","title":"x","metadata":{"n":5}}');
  });

  test('counts are left out, because they follow from the rest', () => {
    const row = { id: 'a', title: 'x', dependency_count: 1, dependent_count: 2, comment_count: 3 };
    expect(roundTrip(row)).toEqual({ id: 'a', title: 'x' });
  });

  test('what was changed here goes out changed, and nothing else does', () => {
    const row = { id: 'a', title: 'x', status: 'triage', priority: 9, notes: 'n' };
    const edited = { ...taskOf(row), priority: 1 as const };
    expect(writeBeads(edited)).toEqual({ ...row, priority: 1 });
  });

  test('work that was tried here is no longer in progress elsewhere', () => {
    const task = taskOf({ id: 'a', title: 'x', status: 'in_progress' });
    expect(writeBeads(task)['status']).toBe('in_progress');
    expect(writeBeads({ ...task, attempts: 1 })['status']).toBe('open');
  });
});

describe('a task of our own', () => {
  test('GT-180 comes back as it was, words of ours included', () => {
    fc.assert(
      fc.property(ownTasks, (task) => {
        const line = beadsLine(task);
        const { extra: _remembered, ...back } = taskOf(parsed(line));
        const { extra: _none, ...was } = task;
        expect(back).toEqual(was);
        expect(beadsLine(taskOf(parsed(line)))).toBe(line);
      }),
    );
  });

  test('GT-180 says nothing new when its own row comes back', () => {
    fc.assert(
      fc.property(fc.oneof(ownTasks, liveTasks), fc.boolean(), (task, named) => {
        const line = beadsLine(task, () => (named ? null : task.repo));
        const row = readBeadsLine(line, NOW + 1);
        if (row === null) throw new Error(line);
        const found = planImport({
          rows: [{ line: 1, row }],
          existing: new Map([[task.id, task]]),
          repoFor: () => null,
          newId: () => taskId('new'),
        });
        expect(found).toMatchObject({ create: [], update: [], unchanged: ['a'], kept: [] });
      }),
    );
  });

  test('that is merged is closed elsewhere, and says for ever what it was', () => {
    const merged: Task = {
      id: taskId('a'),
      ...read({ title: 'x' }).core,
      status: 'merged',
      merged: { target: 'main', commit: 'c0ffee', tree: 't', proof: 'ancestor', unverified: false },
      at: NOW,
    };
    const line = beadsLine(merged);
    expect(parsed(line)).toMatchObject({
      status: 'closed',
      close_reason: 'merged into main as c0ffee',
    });
    const back = taskOf(parsed(line));
    expect(back).toMatchObject({
      status: 'closed',
      outcome: 'merged into main as c0ffee',
      at: NOW,
    });
    expect(beadsLine(back)).toBe(line);
  });

  test('does not name the repo that an import would choose anyway', () => {
    const task: Task = { ...taskOf({ id: 'a', title: 'x', _convoy: { repo: 'web' } }) };
    expect(writeBeads(task)).toHaveProperty('_convoy.repo', 'web');
    expect(writeBeads(task, () => task.repo)).not.toHaveProperty('_convoy');
  });
});

const text = fc.string({ unit: 'grapheme', maxLength: 12 });
const word = fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/);
const time = fc.oneof(
  fc
    .date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true })
    .map((at) => at.toISOString()),
  fc.constantFrom('2025-01-02T03:04:05Z', '2025-01-02T03:04:05.000000001+02:00', '', 'soon', null),
);
const edge = fc.record(
  {
    issue_id: fc.constant('a'),
    depends_on_id: fc.oneof(word, fc.constant('external:lib:x')),
    type: fc.constantFrom('blocks', 'waits-for', 'parent-child', 'related', 'conditional-blocks'),
    created_at: time,
    created_by: text,
    metadata: fc.oneof(fc.constantFrom('{}', '{"gate":"any-children"}', '{', ''), fc.jsonValue()),
    thread_id: text,
  },
  { requiredKeys: ['depends_on_id'] },
);
/** One parent at most: a second one is a bad edge, which is not kept. */
const edges = fc
  .array(edge, { maxLength: 4 })
  .filter((list) => list.filter(({ type }) => type === 'parent-child').length < 2);
const odd = <T>(usual: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 4, arbitrary: usual }, { weight: 1, arbitrary: fc.jsonValue() });

const known = fc.record(
  {
    _type: fc.constant('issue'),
    description: odd(text),
    acceptance_criteria: odd(
      fc.oneof(text, fc.constantFrom('- [ ] a\n- [x] b', '* a\n  b', '- a\nb')),
    ),
    status: fc
      .oneof(
        fc.constantFrom('open', 'in_progress', 'closed', 'blocked', 'deferred', 'pinned'),
        word,
      )
      .filter((status) => status !== 'tombstone'),
    priority: odd(fc.integer({ min: -1, max: 5 })),
    issue_type: odd(fc.oneof(fc.constantFrom(...TASK_TYPES), word)),
    assignee: odd(text),
    estimated_minutes: odd(fc.integer()),
    created_at: odd(time),
    created_by: odd(text),
    updated_at: odd(time),
    closed_at: odd(time),
    close_reason: odd(text),
    due_at: odd(time),
    defer_until: odd(time),
    external_ref: odd(text),
    metadata: odd(fc.dictionary(word, fc.jsonValue())),
    labels: odd(fc.array(text)),
    dependencies: edges,
    _convoy: odd(
      fc.record(
        {
          agent: odd(text),
          verify: odd(fc.array(fc.array(text))),
          own_branch: odd(fc.boolean()),
          children: odd(fc.integer()),
          acceptance: odd(fc.array(fc.record({ text, done: fc.boolean() }))),
          state: odd(
            fc.record({
              status: fc.constantFrom('failed', 'skipped', 'blocked', 'merged'),
              reason: text,
            }),
          ),
        },
        { requiredKeys: [] },
      ),
    ),
  },
  { requiredKeys: [] },
);

const COUNTS = /^(?:_schema|wisp|ephemeral|(?:dependency|dependent|comment)_count)$/;
const rows = fc
  .tuple(known, fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 }), text)
  .map(([fields, unknown, title]) => ({ ...unknown, ...fields, id: 'a', title: `t${title}` }))
  .filter((row) => !Object.keys(row).some((name) => COUNTS.test(name)))
  // As it would come from a file: without -0 and undefined.
  .map((row): object => JSON.parse(JSON.stringify(row)) as object);

const instant = fc.integer({ min: 0, max: 4_000_000_000_000 });
const ownEdges = fc.uniqueArray(
  fc.oneof(
    fc.record({
      on: word.map(taskId),
      kind: fc.constantFrom('blocks'),
      level: fc.constantFrom('merged', 'submitted', 'closed'),
    } as const),
    fc.record({
      on: word.map(taskId),
      kind: fc.constantFrom('waits-for'),
      children: fc.constantFrom('all', 'any'),
    } as const),
    fc.record({
      on: word.map(taskId),
      kind: fc.constantFrom('merge-blocks', 'conditional-blocks', 'my-word'),
    }),
  ),
  { selector: ({ on, kind }) => `${on} ${kind}`, maxLength: 4 },
);
const ownStates = fc.oneof(
  fc.constant({ status: 'open', retryAt: null, lastFailure: null } as const),
  fc.constant({ status: 'pinned' } as const),
  fc.record({ status: fc.constant('deferred'), until: fc.option(instant) } as const),
  fc.record({ status: fc.constant('blocked'), reason: word } as const),
  fc.record({
    status: fc.constantFrom('failed', 'skipped', 'cancelled'),
    reason: word,
    at: instant,
  } as const),
  fc.record({ status: fc.constant('closed'), outcome: word, at: instant } as const),
);
const ownTasks = fc
  .record({
    core: fc.record({
      description: text,
      acceptance: fc.array(
        fc.record({ text: text.map((each) => `c${each}`), done: fc.boolean() }),
        { maxLength: 3 },
      ),
      type: fc.constantFrom(...TASK_TYPES),
      priority: fc.constantFrom(0, 1, 2, 3, 4),
      labels: fc.uniqueArray(word),
      parent: fc.option(word.map(taskId)),
      agent: fc.option(word),
      verify: fc.option(fc.array(fc.array(word, { minLength: 1 }))),
      ownBranch: fc.boolean(),
      estimateMinutes: fc.option(fc.nat()),
      dueAt: fc.option(instant),
      dependencies: ownEdges,
      childCount: fc.nat(9),
      createdAt: instant,
      updatedAt: instant,
    }),
    state: ownStates,
  })
  .map(({ core, state }): Task => ({
    id: taskId('a'),
    ...read({ title: 'x' }).core,
    ...core,
    ...state,
    extra: {},
  }));
/** States that no row can ask for: they need facts of this workspace. */
const liveTasks = fc
  .tuple(
    ownTasks,
    fc.constantFrom(
      { status: 'in_progress', attempt: attemptId('a.1'), since: NOW } as const,
      {
        status: 'submitted',
        attempt: attemptId('a.1'),
        change: changeId('ch-1'),
        since: NOW,
      } as const,
      {
        status: 'merged',
        merged: { target: 'main', commit: 'c0', tree: 't', proof: 'ancestor', unverified: false },
        at: NOW,
      } as const,
    ),
  )
  .map(([task, state]): Task => ({ ...task, repo: repoName('web'), attempts: 1, ...state }));
