import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { unstorableText } from './unstorable-text.ts';

const NUL = 'text may not contain a NUL character';
const HALF = 'text may not contain half of a surrogate pair';

test.each([
  ['a NUL', { title: 'zero \0' }, { path: ['title'], message: NUL }],
  [
    'half a pair, deep down',
    { labels: ['fine', '\ud83d'] },
    { path: ['labels', '1'], message: HALF },
  ],
  ['a NUL in a key', { set: { 'a\0': 1 } }, { path: ['set'], message: NUL }],
])('%s is found', (_, body, found) => expect(unstorableText([{}, body])).toEqual(found));

/** JSON escapes just these two itself, unless a backslash is what is meant. */
const ESCAPED = /(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/;

test('it is found wherever JSON has to escape it, and nowhere else', () =>
  fc.assert(
    fc.property(fc.jsonValue({ stringUnit: 'binary' }), (value) => {
      expect(unstorableText([value]) !== null).toBe(ESCAPED.test(JSON.stringify(value)));
    }),
    { numRuns: 300 },
  ));
