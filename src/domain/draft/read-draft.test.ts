import { describe, expect, test } from 'vitest';
import type { DraftNode } from './draft-plan.ts';
import { readDraft, type Draft } from './read-draft.ts';

const draft = (...lines: readonly string[]): Draft => readDraft(lines.join('\n'), 'plan');
const everyNode = (node: DraftNode): DraftNode[] => [node, ...node.children.flatMap(everyNode)];
const titles = ({ root }: Draft) => everyNode(root).map(({ key, title }) => `${key} ${title}`);
const edges = (read: Draft) => read.edges.map(({ from, on }) => `${from} after ${on}`);
const messages = ({ problems }: Draft) =>
  problems.map(({ line, kind, message }) => `${kind} ${line}: ${message}`);
const task = (...lines: readonly string[]): DraftNode => {
  const found = draft('# Plan', ...lines).root.children[0];
  if (!found) throw new Error('no task');
  return found;
};

describe('epics and tasks', () => {
  test('headings are epics by their level, items are tasks', () => {
    const read = draft('# Plan', '- a', '## One', '- b', '### Deep', '- c', '## Two', '- d');
    expect(titles(read)).toEqual([
      'root Plan',
      '1 a',
      '2 One',
      '2.1 b',
      '2.2 Deep',
      '2.2.1 c',
      '3 Two',
      '3.1 d',
    ]);
    expect(everyNode(read.root).map(({ type }) => type)).toEqual([
      'epic',
      'task',
      'epic',
      'task',
      'epic',
      'task',
      'epic',
      'task',
    ]);
  });

  test('without a first heading the front matter or the file names the root', () => {
    expect(draft('- a').root.title).toBe('plan');
    const named = draft('---', 'title: "Mine"', 'repo: web', '---', '- a');
    expect([named.root.title, named.root.repo, named.root.children[0]?.repo]).toEqual([
      'Mine',
      'web',
      'web',
    ]);
  });

  test('headings may be underlined, a rule is not a heading', () => {
    const read = draft(
      'Plan',
      '====',
      '',
      'One',
      '---',
      '- a',
      '',
      '---',
      '',
      '- b',
      '***',
      '- - -',
    );
    expect(titles(read)).toEqual(['root Plan', '1 One', '1.1 a', '1.2 b']);
  });

  test('a second first-level heading is an epic beside the others', () => {
    expect(titles(draft('# Plan', '## One', '- a', '# Two', '- b'))).toEqual([
      'root Plan',
      '1 One',
      '1.1 a',
      '2 Two',
      '2.1 b',
    ]);
  });

  test('a heading without work is text of the epic above', () => {
    const read = draft(
      '# Plan',
      'Why.',
      '## Background',
      'Long ago.',
      '',
      'Or not.',
      '## One',
      '- a',
    );
    expect(titles(read)).toEqual(['root Plan', '1 One', '1.1 a']);
    expect(read.root.description).toBe('Why.\n\n## Background\n\nLong ago.\n\nOr not.');
  });

  test('a heading without items is a task when it is marked as work', () => {
    const read = draft(
      '# Plan',
      '## Write docs [chore] P3',
      'All of them.',
      '## Ship',
      'after: write-docs',
    );
    expect(read.root.children.map(({ title, type, priority }) => [title, type, priority])).toEqual([
      ['Write docs', 'chore', 3],
      ['Ship', 'task', 2],
    ]);
    expect(edges(read)).toEqual(['2 after 1']);
  });

  test('nothing under a heading marked [notes] is work', () => {
    const read = draft(
      '# Plan',
      '## Goals [notes]',
      '- be fast',
      '  after: lunch',
      '### More',
      '- c',
      '## One',
      '- a',
    );
    expect(titles(read)).toEqual(['root Plan', '1 One', '1.1 a']);
    expect(messages(read)).toEqual([]);
  });

  test('nested items are text, unless the item says that parts follow', () => {
    expect(task('- a', '  - b', '    - c').description).toBe('- b\n  - c');
    const parts = task('- a:', '  - b', '  - c:', '    - d');
    expect(parts).toMatchObject({ title: 'a', type: 'epic' });
    expect(everyNode(parts).map(({ key }) => key)).toEqual(['1', '1.1', '1.2', '1.2.1']);
    expect(task('- [epic] a', '  - b').children).toHaveLength(1);
    expect(task('- a:').type).toBe('task');
  });

  test('what is nested too deep joins the level above, with its order and its repo', () => {
    const read = draft(
      '# P',
      '## A',
      '### B',
      '#### C',
      'repo: x',
      'Text.',
      '- c1',
      '- c2',
      '#### D',
      'after: c',
      '- d',
    );
    expect(titles(read)).toEqual(['root P', '1 A', '1.1 B', '1.1.1 c1', '1.1.2 c2', '1.1.3 d']);
    expect(edges(read)).toEqual(['1.1.3 after 1.1.1', '1.1.3 after 1.1.2']);
    const [c1, , d] = read.root.children[0]!.children[0]!.children;
    expect([c1?.repo, d?.repo]).toEqual(['x', null]);
    expect(read.root.children[0]!.children[0]!.description).toBe('C\n\nText.');
    expect(read.problems.map(({ line, kind }) => [line, kind])).toEqual([
      [4, 'warning'],
      [9, 'warning'],
    ]);
  });
});

describe('what belongs to a task', () => {
  test('boxes are criteria, also when they are wrapped', () => {
    expect(
      task('- a', '  - [ ] one', '    and a half', '  - [x] two', '  after: none'),
    ).toMatchObject({
      acceptance: [
        { text: 'one and a half', done: false },
        { text: 'two', done: true },
      ],
      description: '',
    });
  });

  test('code, tables and text, whatever they look like', () => {
    const lines = [
      '- a',
      '  Text',
      '',
      '  ```md',
      '  # no heading',
      '  - no item',
      '  <!-- kept -->',
      '  ```',
      '',
      '  | x |',
      '  |---|',
    ];
    const read = draft('# Plan', ...lines, '', 'Not of a.');
    expect(read.root.children).toHaveLength(1);
    expect(read.root.children[0]?.description).toBe(
      'Text\n\n```md\n# no heading\n- no item\n<!-- kept -->\n```\n\n| x |\n|---|',
    );
    expect(read.root.description).toBe('Not of a.');
  });

  test('comments are not there', () => {
    expect(titles(draft('# Plan', '- a <!-- hm -->', '<!--', '- b', '-->', '- c'))).toEqual([
      'root Plan',
      '1 a',
      '2 c',
    ]);
  });

  test('tabs, stars and plus signs', () => {
    expect(task('*\ta', '\t- [ ] b', '\ttext')).toMatchObject({
      title: 'a',
      acceptance: [{ text: 'b text', done: false }],
    });
    expect(titles(draft('+ a', '* b', '- c'))).toEqual(['root plan', '1 a', '2 b', '3 c']);
  });

  test('criteria of an epic stand under their own heading', () => {
    const read = draft('# Plan', '- a', '## Acceptance criteria', '- it works', '- [x] it is fast');
    expect(read.root.acceptance).toEqual([
      { text: 'it works', done: false },
      { text: 'it is fast', done: true },
    ]);
    expect(titles(read)).toEqual(['root Plan', '1 a']);
  });
});

describe('tags', () => {
  test.each([
    [
      '[bug] Fix it P0 #web #api ~1h30m',
      { title: 'Fix it', type: 'bug', priority: 0, labels: ['web', 'api'], estimateMinutes: 90 },
    ],
    [
      'P1 [feature] Do it (~0.5h)',
      { title: 'Do it', type: 'feature', priority: 1, estimateMinutes: 30 },
    ],
    ['Support P2 phones', { title: 'Support P2 phones', priority: 2, labels: [] }],
    ['Close issue #12', { title: 'Close issue #12', labels: [] }],
    ['[docs](x.md) say it', { title: '[docs](x.md) say it', type: 'task' }],
    ['[bug]', { title: '[bug]', type: 'task' }],
    ['**Bold as a whole**', { title: 'Bold as a whole' }],
    ['Write C# code', { title: 'Write C# code' }],
  ])('%s', (text, node) => expect(task(`- ${text}`)).toMatchObject(node));

  test('repo and agent hold for what is below, until something else is said', () => {
    const read = draft(
      '# P',
      'repo: web',
      '## A',
      'agent: fast',
      '- a',
      '- b',
      '  repo: api',
      '  agent: slow',
    );
    expect(everyNode(read.root).map(({ repo, agent }) => [repo, agent])).toEqual([
      ['web', null],
      ['web', 'fast'],
      ['web', 'fast'],
      ['api', 'slow'],
    ]);
  });

  test('a branch of its own is for epics below the root', () => {
    expect(draft('# P', '## A', 'branch: yes', '- a').root.children[0]?.ownBranch).toBe(true);
    expect(draft('# P', '## A', 'branch: no', '- a').root.children[0]?.ownBranch).toBe(false);
    expect(messages(draft('# P', 'branch: yes', '- a', '  branch: yes'))).toEqual([
      'warning 2: the whole plan has a branch of its own anyway; say it under a lower heading',
      'warning 4: only a heading with tasks under it can have a branch of its own',
    ]);
  });

  test('prose that begins like a directive is prose', () => {
    expect(task('- a', '  Repo: the one we all know').description).toBe(
      'Repo: the one we all know',
    );
    expect(task('- a', '  Branch: out').description).toBe('Branch: out');
  });
});

describe('order', () => {
  test('numbered items and numbered headings wait for the one before', () => {
    const read = draft(
      '# P',
      '## 1. A',
      '1. a',
      '1. b',
      '## Aside',
      '- x',
      '## 2. B',
      '1) c',
      '',
      'Then:',
      '',
      '1) d',
      '2) e',
    );
    expect(edges(read)).toEqual(['1.2 after 1.1', '3 after 1', '3.3 after 3.2']);
  });

  test('after: none takes one out of the row', () => {
    expect(edges(draft('1. a', '2. b', '   after: none', '3. c'))).toEqual(['3 after 2']);
  });

  test.each([
    ['after: b-b', ['1 after 2']],
    ['after: "B, b", C and d', ['1 after 2', '1 after 3']],
    ['depends on C and d.', ['1 after 3']],
    ['depends on: b b, c and d', ['1 after 2', '1 after 3']],
    ['after: 2, #3', ['1 after 2', '1 after 3']],
    ['after: 4.1', ['1 after 4.1']],
    ['after: éclair', ['1 after 4']],
    ['- after: 2', ['1 after 2']],
  ])('%s', (line, expected) => {
    const read = draft('# P', '- a', `  ${line}`, '- B, b', '- C and d', '## Eclair', '- e');
    expect(edges(read)).toEqual(expected);
    expect(read.problems).toEqual([]);
  });

  test('a number is the written one before it is a place', () => {
    expect(edges(draft('# P', '## 3. A', '- a', '## 7. B', 'after: 3', '- b'))).toEqual([
      '2 after 1',
    ]);
  });
});

describe('problems', () => {
  test.each([
    [
      'an unknown name',
      ['- user store', '- b', '  after: user-stroe'],
      'error 3: nothing here is called "user-stroe"; did you mean user-store?',
    ],
    [
      'a title of two',
      ['- a', '## A', '- b', '  after: a'],
      'error 4: "a" is the title of several: say which by its number, 1 or 2',
    ],
    ['itself', ['- a', '  after: a'], 'error 2: "a" cannot wait for itself'],
    [
      'its epic',
      ['## E', '- a', '  after: e'],
      'error 3: "a" is part of "E" and cannot wait for it',
    ],
    [
      'its part',
      ['## E', 'after: a', '- a'],
      'error 2: "a" is part of "E", which waits for it anyway',
    ],
    [
      'a cycle',
      ['- a', '  after: b', '- b', '  after: a'],
      'error 1: these wait for each other: "a" (line 1) → "b" (line 3) → "a" (line 1)',
    ],
    [
      'a ticked task',
      ['- [x] a'],
      'warning 1: it is ticked off and planned all the same; delete it if it is done',
    ],
    ['endless code', ['- a', '```'], 'warning 2: the code block that begins here never ends'],
    ['an endless comment', ['- a', '<!-- x'], 'warning 2: the comment that begins here never ends'],
    ['an empty epic', ['- a', '- [epic] b'], 'warning 2: nothing is under the epic "b"'],
    [
      'tasks under a bug',
      ['## B [bug]', '- a'],
      'warning 1: "B" has tasks under it, so it is an epic and not a bug',
    ],
  ])('%s', (_what, lines, message) => expect(messages(draft(...lines))).toEqual([message]));

  test.each([[''], ['\n\n'], ['# Only a title'], ['Just prose.']])(
    'nothing to do in %j',
    (text) => {
      expect(messages(readDraft(text, 'plan'))).toEqual([
        'error 1: there is nothing to do in it: write each task as a list item (- like this)',
      ]);
    },
  );

  test('the root is never meant', () => {
    expect(
      edges(
        draft(
          '# API',
          '## Store',
          '- a',
          '## API',
          'after: store',
          '- b',
          '## Ops',
          'after: api',
          '- c',
        ),
      ),
    ).toEqual(['2 after 1', '3 after 2']);
  });

  test('a title of more than 500 characters, however long', () => {
    expect(draft(`- ${'x '.repeat(100_000)}`).problems).toHaveLength(1);
    expect(messages(draft(`- ${'x'.repeat(501)}`))).toEqual([
      `error 1: a title has more than 500 characters: ${'x'.repeat(60)}…`,
    ]);
  });
});
