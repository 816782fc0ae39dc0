import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { answerTo, outcomeOf, pathsIn } from './permission.ts';

const isInside = (path: string): boolean => path.startsWith('in/');
const KINDS = ['read', 'edit', 'delete', 'move', 'search', 'execute', 'fetch', 'other', ''];

test('one path outside is enough for a no, whatever the tool', () => {
  const inside = fc.string().map((text) => `in/${text}`);
  const outside = fc.string().map((text) => `out/${text}`);
  fc.assert(
    fc.property(
      fc.constantFrom(...KINDS),
      fc.array(inside),
      outside,
      fc.array(inside),
      (kind, before, wrong, after) => {
        const { allowed, why } = answerTo(kind, [...before, wrong, ...after], 'worktree', isInside);
        expect(allowed).toBe(false);
        expect(why).toContain(wrong);
        expect(answerTo(kind, ['in/a', ...before], 'worktree', isInside).allowed).toBe(true);
        expect(answerTo(kind, before, 'deny', isInside).allowed).toBe(false);
      },
    ),
  );
});

test.each([
  ['execute', true],
  ['fetch', true],
  ['edit', false],
  ['delete', false],
  ['move', false],
  ['switch_mode', false],
])('%s without a path: %s', (kind, allowed) =>
  expect(answerTo(kind, [], 'worktree', isInside).allowed).toBe(allowed),
);

test('paths are found where agents put them, and nowhere else', () => {
  const told = { locations: [{ path: '/a', line: 3 }], rawInput: { profile: 'no', text: '/no' } };
  const asked = {
    content: [
      { type: 'diff', path: '/b', newText: '' },
      { type: 'content', content: { type: 'text', text: '/no' } },
    ],
    rawInput: {
      file_path: '/c',
      absolutePath: '/d',
      edits: [{ filePath: '/e' }, { file: { path: '/f' } }],
      paths: ['/g', '/a'],
      url: 'http://no',
      uri: 'https://no',
      cwd: '/h',
      command: ['cat', '/no'],
    },
  };
  expect(pathsIn(told, asked)).toEqual(['/a', '/b', '/c', '/d', '/e', '/f', '/g', '/h']);
});

test('anything at all as a tool call is survived', () => {
  fc.assert(
    fc.property(fc.object({ maxDepth: 8 }), (call) => {
      expect(pathsIn(call, { rawInput: call }).every((path) => path !== '')).toBe(true);
    }),
  );
});

const options = (...kinds: string[]) => kinds.map((kind) => ({ kind, optionId: `id ${kind}` }));

test('a yes is for this once, a no is whatever no there is', () => {
  const all = options('allow_always', 'reject_always', 'allow_once', 'reject_once');
  expect(outcomeOf(true, all)).toEqual({ outcome: 'selected', optionId: 'id allow_once' });
  expect(outcomeOf(false, all)).toEqual({ outcome: 'selected', optionId: 'id reject_once' });
  expect(outcomeOf(false, options('reject_always'))).toMatchObject({ outcome: 'selected' });
  expect(outcomeOf(true, options('allow_always'))).toEqual({ outcome: 'cancelled' });
  expect(outcomeOf(false, [])).toEqual({ outcome: 'cancelled' });
});
