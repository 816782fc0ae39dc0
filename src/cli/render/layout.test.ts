import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { facts } from './facts.ts';
import { findings } from './findings.ts';
import { paletteFor } from './paint.ts';
import { status } from './status.ts';
import { table } from './table.ts';
import { duration, relative } from './time.ts';
import { tree, type TreeNode } from './tree.ts';
import { truncate, widthOf, wrapWide } from './width.ts';

const text = fc.string({ unit: 'grapheme', maxLength: 60 });
const plain = paletteFor(false);
const leaf = (label: string, suffix?: string): TreeNode => ({
  label,
  ...(suffix === undefined ? {} : { suffix }),
  children: [],
});
const widest = (lines: readonly string[]): number => Math.max(0, ...lines.map(widthOf));

describe('width', () => {
  test('a cut text fits, begins like the whole and ends in …', () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 40 }), (whole, width) => {
        const cut = truncate(whole, width);
        expect(widthOf(cut)).toBeLessThanOrEqual(width);
        const begins = cut.endsWith('…') && whole.startsWith(cut.slice(0, -1));
        expect(widthOf(whole) <= width ? cut === whole : begins).toBe(true);
      }),
    );
  });

  test('a family is never torn apart', () => {
    expect(truncate('ab👩‍👩‍👧cd', 4)).toBe('ab…');
    expect(truncate('ab👩‍👩‍👧cd', 5)).toBe('ab👩‍👩‍👧…');
    expect(truncate('日本語', 4)).toBe('日…');
  });

  test('wrapping loses no word and keeps to the width', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 80 }), fc.integer({ min: 2, max: 30 }), (whole, width) => {
        const lines = wrapWide(whole, width);
        expect(widest(lines)).toBeLessThanOrEqual(width);
        expect(lines.join('').replaceAll(' ', '')).toBe(whole.replaceAll(/[ \n]/g, ''));
      }),
    );
  });
});

describe('table', () => {
  test('lines up, right-aligns numbers and cuts the widest column first', () => {
    const columns = [{ title: 'ID' }, { title: 'TITLE' }, { title: 'N', align: 'right' as const }];
    const rows = [
      ['web-a3f', 'A rather long title here', '7'],
      ['web-b2', 'Short', '12'],
    ];
    expect(table(columns, rows, 80)).toEqual([
      'ID       TITLE                      N',
      'web-a3f  A rather long title here   7',
      'web-b2   Short                     12',
    ]);
    expect(table(columns, rows, 24)).toEqual([
      'ID       TITLE         N',
      'web-a3f  A rather l…   7',
      'web-b2   Short        12',
    ]);
  });

  test('respects the least and the most width of a column', () => {
    const columns = [
      { title: 'A', min: 5 },
      { title: 'B', max: 4 },
    ];
    expect(table(columns, [['x', 'abcdefgh']], 80)).toEqual(['A      B', 'x      abc…']);
  });

  test('no line is ever wider than asked, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.array(fc.tuple(text, text, text), { maxLength: 5 }),
        fc.integer({ min: 1, max: 60 }),
        (rows, width) => {
          const columns = [
            { title: 'ONE', min: 6 },
            { title: 'TWO' },
            { title: 'THREE', align: 'right' as const },
          ];
          expect(widest(table(columns, rows, width))).toBeLessThanOrEqual(width);
        },
      ),
    );
  });

  test('a cell cannot bring colours or lines of its own', () => {
    const [, row] = table([{ title: 'A' }], [['x\u001b[31my\nz']], 80);
    expect(row).toBe('xy z');
  });
});

describe('tree', () => {
  test('shows what belongs to what', () => {
    const root = {
      label: 'epic',
      children: [{ label: 'a', children: [leaf('a1'), leaf('a2', '[open]')] }, leaf('b')],
    };
    expect(tree([root], 80)).toEqual(['epic', '├─ a', '│  ├─ a1', '│  └─ a2  [open]', '└─ b']);
  });

  test('cuts the label before the suffix', () => {
    expect(tree([leaf('a long label', 'open')], 12)).toEqual(['a lon…  open']);
  });

  test('a tree that has no room for its lines still keeps to the width', () => {
    const root = { label: 'epic', children: [{ label: 'a', children: [leaf('a1')] }] };
    expect(tree([root], 2)).toEqual(['e…', '└┄', '└┄']);
  });

  test('a chain of ten thousand is drawn without overflowing the stack', () => {
    let node = leaf('end');
    for (let at = 0; at < 10_000; at++) node = { label: 'x', children: [node] };
    const lines = tree([node], 40);
    expect(lines).toHaveLength(10_001);
    expect(widest(lines)).toBeLessThanOrEqual(40);
  });
});

describe('status', () => {
  test('is a word, a shape and a colour', () => {
    const { text: word, paint } = status('task', 'merged', paletteFor(true));
    expect(word).toBe('✓ merged');
    expect(paint('x')).toBe('\u001b[32mx\u001b[39m');
  });

  test('a word we do not know is shown as it is', () => {
    expect(status('task', 'constructor', plain).text).toBe('· constructor');
  });
});

describe('time', () => {
  test.each([
    [0, '0s'],
    [450, '0.4s'],
    [59_999, '59s'],
    [184_000, '3m 04s'],
    [7_500_000, '2h 05m'],
    [273_600_000, '3d 4h'],
    [-5, '0s'],
  ])('%d ms is %s', (ms, said) => expect(duration(ms)).toBe(said));

  test('is relative to now, in both directions', () => {
    const now = 1_000_000_000_000;
    expect(relative(now - 4000, now)).toBe('just now');
    expect(relative(now - 300_000, now)).toBe('5m ago');
    expect(relative(now + 7_200_000, now)).toBe('in 2h');
    expect(relative(now - 200_000_000, now)).toBe('2d ago');
  });
});

describe('blocks', () => {
  test('findings are numbered, with ids and fix under them', () => {
    const found = [
      { code: 'cycle', message: 'a waits for b', ids: ['a', 'b'], fix: 'convoy task dep rm a b' },
      { code: 'parked', message: 'main is parked', ids: [], fix: '' },
    ];
    expect(findings('Errors', found, 40, (line) => line)).toEqual([
      'Errors (2)',
      '  1. cycle: a waits for b',
      '     a, b',
      '     fix: convoy task dep rm a b',
      '  2. parked: main is parked',
    ]);
    expect(findings('Errors', [], 40, (line) => line)).toEqual([]);
  });

  test('facts stand in two columns; what is not known is left out', () => {
    const list = [
      ['id', 'web-a3f'],
      ['repo', null],
      ['description', 'one two three four'],
    ] as const;
    expect(facts(list, 24)).toEqual([
      'id           web-a3f',
      'description  one two',
      '             three four',
    ]);
  });
});
