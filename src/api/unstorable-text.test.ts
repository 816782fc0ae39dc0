import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unstorableText } from './unstorable-text.ts';

test.each([
  [
    'a NUL',
    { title: 'zero \0' },
    { path: ['title'], message: 'text may not contain a NUL character' },
  ],
  [
    'half a pair, deep down',
    { labels: ['fine', 'half \ud83d'] },
    { path: ['labels', '1'], message: 'text may not contain half of a surrogate pair' },
  ],
  [
    'a NUL in a key',
    { set: { 'a\0': 1 } },
    { path: ['set'], message: 'text may not contain a NUL character' },
  ],
])('%s is found', (_, body, found) => expect(unstorableText([{}, body])).toEqual(found));

test('whole characters of any kind are fine, however they are nested', () =>
  fc.assert(
    fc.property(
      fc.jsonValue({
        stringUnit: fc
          .string({ unit: 'grapheme', minLength: 1, maxLength: 2 })
          .filter((text) => !text.includes('\0')),
      }),
      (value) => expect(unstorableText([value])).toBeNull(),
    ),
  ));
