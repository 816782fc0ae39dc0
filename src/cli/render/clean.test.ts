// oxlint-disable no-control-regex -- control characters are the subject
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { clean, cleanLine } from './clean.ts';

/** Text full of the pieces that attacks are made of. */
const hostile = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom(
        '\u001b',
        '\u001b[',
        '\u001b]',
        '\u001bP',
        '\u001b\\',
        '\u009b',
        '\u009d',
        '\u009c',
        '\u0007',
        '\u0008',
        '\r',
        '\n',
        '\t',
        '31m',
        '8;;http://x',
        '\u202e',
        '\u2066',
        '\u200f',
        '\ud800',
        'é',
      ),
    ),
    { maxLength: 30 },
  )
  .map((parts) => parts.join(''));

test('nothing a terminal would obey is left', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(clean(text)).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/);
      expect(clean(text)).not.toMatch(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069\u2028\u2029]/);
      expect(clean(text).isWellFormed()).toBe(true);
      expect(cleanLine(text)).not.toContain('\n');
    }),
  );
});

test('cleaning twice is cleaning once', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(clean(clean(text))).toBe(clean(text));
    }),
  );
});

test('ordinary text in any script stays as it is', () => {
  const ordinary = fc
    .string({ unit: 'grapheme' })
    .filter((text) => !/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(text));
  fc.assert(
    fc.property(ordinary, (text) => {
      expect(clean(text)).toBe(text);
    }),
  );
  expect(clean('naïve 日本語 👩‍🚀 שלום\nnext')).toBe('naïve 日本語 👩‍🚀 שלום\nnext');
});

test.each([
  ['colours', '\u001b[31mred\u001b[0m', 'red'],
  ['a cleared screen', 'a\u001b[2J\u001b[Hb', 'ab'],
  ['8-bit sequences', 'a\u009b2Jb', 'ab'],
  ['a link keeps its text', '\u001b]8;;http://evil\u0007text\u001b]8;;\u001b\\', 'text'],
  ['a new window title', '\u001b]0;owned\u001b\\x', 'x'],
  ['a device string', '\u001bP1;2|17/ab\u001b\\x', 'x'],
  ['a string without an end swallows nothing', '\u001b]0;the rest stays', '0;the rest stays'],
  ['charset switches', '\u001b(0lqk', 'lqk'],
  ['overwriting a line', 'safe\rEVIL', 'safeEVIL'],
  ['backspaces', 'ab\b\bcd', 'abcd'],
  ['reordered text is shown', 'a\u202eb', 'a<U+202E>b'],
  ['tabs', 'a\tb', 'a    b'],
])('%s', (_, dirty, expected) => expect(clean(dirty)).toBe(expected));
