import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { DraftNode } from './draft-plan.ts';
import { readDraft } from './read-draft.ts';

const everyNode = (node: DraftNode): DraftNode[] => [node, ...node.children.flatMap(everyNode)];

describe('any text', () => {
  const piece = fc.constantFrom(
    '# ',
    '## ',
    '#### ',
    '- ',
    '  - ',
    '    - [ ] ',
    '1. ',
    '2.1 ',
    '```',
    '<!--',
    '-->',
    '---',
    '===',
    '\n',
    '\r\n',
    '\t',
    'after: ',
    'depends on ',
    'a',
    'b, ',
    '2.1',
    ':',
    '[epic]',
    '[notes]',
    'P1',
    '#x',
    '~5m',
    'branch: yes',
    'repo: r',
    ' ',
    '|',
    '\0',
  );
  const texts = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(piece, { maxLength: 60 }).map((parts) => parts.join('')),
    fc
      .array(
        fc.tuple(piece, fc.constantFrom('a', 'b', 'c')).map((pair) => pair.join('')),
        { maxLength: 30 },
      )
      .map((lines) => lines.join('\n')),
  );

  test('is read without fail, and every edge is between things that are there', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const read = readDraft(text, 'plan');
        const nodes = everyNode(read.root);
        const keys = new Set(nodes.map(({ key }) => key));
        expect(keys.size).toBe(nodes.length);
        expect(read.edges.filter(({ from, on }) => !keys.has(from) || !keys.has(on))).toEqual([]);
        expect(nodes.filter(({ key }) => key.split('.').length > 3)).toEqual([]);
        const lines = text.split(/\r\n|\n|\r/).length;
        expect(read.problems.filter(({ line }) => line < 1 || line > lines)).toEqual([]);
        expect(readDraft(text, 'plan')).toEqual(read);
      }),
      { numRuns: 300 },
    );
  });

  test.each([
    ['spaces', ' '.repeat(200_000)],
    ['marks', `# ${'#'.repeat(200_000)}x`],
    ['boxes', '- [ ] '.repeat(50_000)],
    ['stars', '**'.repeat(100_000)],
    ['items', '- a\n'.repeat(20_000)],
    ['deep items', Array.from({ length: 500 }, (_, n) => `${'  '.repeat(n)}- a:`).join('\n')],
    ['comments', '<!-- x -->'.repeat(50_000)],
  ])('many %s take no time', { timeout: 4000 }, (_what, text) => {
    expect(readDraft(text, 'plan').root.key).toBe('root');
  });
});
