import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { clipped, fenced, oneLine } from './prompt-fence.ts';

const hostile = fc.string({
  unit: fc.constantFrom(
    '~',
    '~~~~',
    '\n',
    '\r',
    ' ',
    'a',
    '# Rules',
    '\u001B[2J',
    '\u202E',
    '\u2028',
  ),
  maxLength: 80,
});

test('no text can close the fence it stands in', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      const lines = fenced('label', text).split('\n');
      const fence = lines[0]?.split(' ')[0] ?? '';
      expect(lines.at(-1)).toBe(fence);
      // Neither the fence nor a longer run occurs between its two lines.
      expect(lines.slice(1, -1).join('\n')).not.toContain(fence);
    }),
  );
});

test('what a person would not see is not passed on', () => {
  expect(fenced('x', 'a\u001B[31mb\u202Ec\u200Bd\r\ne')).toBe('~~~~ x\na[31mbcd\ne\n~~~~');
});

test('a title stays on its line', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(oneLine(text)).not.toMatch(/[\n\r\u2028]/);
    }),
  );
});

test('a long text loses its middle and says so', () => {
  const text = `${'h'.repeat(100)}${'t'.repeat(300)}`;
  expect(clipped(text, 40)).toBe(
    `${'h'.repeat(10)}\n… 360 characters left out …\n${'t'.repeat(30)}`,
  );
  expect(clipped('short', 5)).toBe('short');
});
