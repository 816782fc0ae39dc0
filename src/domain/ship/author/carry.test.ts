import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addedLines, countLines, fixMessage, parseRawChanges, type CarryPlan } from './carry.ts';

const OID = 'a'.repeat(40);
const plan = (...paths: string[]): CarryPlan => ({
  base: OID,
  tree: OID,
  withheld: [],
  files: paths.map((path) => ({
    path,
    from: null,
    change: 'modified',
    added: 1,
    removed: 0,
    diff: '',
    truncated: false,
  })),
});

test('DC-33 property: any names git can hold are read back as they are', () => {
  const unit = fc.constantFrom(
    'a',
    ' ',
    ':',
    '\n',
    '\t',
    '"',
    '\\',
    'é',
    'e\u0301',
    '日',
    '😀',
    '1',
    'M',
  );
  const name = fc.string({ unit, minLength: 1 });
  fc.assert(
    fc.property(fc.array(fc.tuple(name, fc.option(name, { nil: null }))), (rows) => {
      const text = rows
        .map(([path, from]) =>
          from === null
            ? `:100644 100644 ${OID} ${OID} M\0${path}\0`
            : `:100644 100644 ${OID} ${OID} R087\0${from}\0${path}\0`,
        )
        .join('');
      const read = parseRawChanges(text);
      expect(read.map(({ path, from }) => [path, from])).toEqual(rows);
    }),
  );
});

test('lines are counted inside hunks only', () => {
  const patch = 'diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1,2 @@\n-old\n+new\n+more\n';
  expect(countLines(patch)).toEqual({ added: 2, removed: 1 });
  expect(addedLines(patch)).toEqual(['new', 'more']);
  expect(countLines('diff\nBinary files a/x and b/x differ\n')).toEqual({
    added: null,
    removed: null,
  });
});

test('the commit is named after the diagnosis, on one short line', () => {
  const message = fixMessage('Fix: the pool\nis never\u202e closed', plan('a b.js'));
  expect(message.split('\n')[0]).toBe('fix: the pool is never closed');
  expect(message).toContain('- a b.js');
  expect(fixMessage('x'.repeat(200), plan('a')).split('\n')[0]).toHaveLength(72);
  expect(fixMessage('  ', plan('a')).split('\n')[0]).toBe('fix: carry the uncommitted changes');
});
