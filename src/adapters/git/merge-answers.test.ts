import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readMerge } from './merge-answers.ts';

const id = (n: number): string => n.toString(16).repeat(40).slice(0, 40);
const field = fc.string({ minLength: 1, maxLength: 12 }).map((text) => text.replaceAll('\0', '-'));
const message = fc
  .tuple(fc.array(field, { maxLength: 3 }), field, field)
  .map(([paths, sort, text]) => [String(paths.length), ...paths, sort, text]);
const clean = fc.nat({ max: 9 }).map((n) => ({ clean: true, fields: [id(n)] }));
const conflict = fc
  .tuple(fc.nat({ max: 9 }), fc.array(field, { maxLength: 3 }), fc.array(message, { maxLength: 3 }))
  .map(([n, stages, messages]) => ({
    clean: false,
    fields: [id(n), ...stages, '', ...messages.flat()],
  }));

const printed = ({ clean: isClean, fields }: { clean: boolean; fields: string[] }): string =>
  `${isClean ? 1 : 0}\0${fields.map((each) => `${each}\0`).join('')}\0`;

test('answers are told apart at every cut, and half an answer is none', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(clean, conflict), { minLength: 1, maxLength: 4 }), (merges) => {
      let text = Buffer.from(merges.map(printed).join(''));
      for (const merge of merges) {
        const whole = Buffer.from(printed(merge));
        for (let cut = 0; cut < whole.length; cut += 1)
          expect(readMerge(text.subarray(0, cut))).toBeNull();
        expect(readMerge(text)).toEqual({
          length: whole.length,
          answer: {
            clean: merge.clean,
            output: merge.fields.map((each) => `${each}\0`).join(''),
          },
        });
        text = text.subarray(whole.length);
      }
    }),
    { numRuns: 60 },
  );
});

test('what is no merge is nonsense, not a merge', () => {
  for (const text of ['usage: git\0', '2\0', '1\0not a tree\0\0', `0\0${id(1)}\0\0many\0`])
    expect(readMerge(Buffer.from(text))).toBe('nonsense');
});
