import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { DraftNode } from '../../src/domain/draft/draft-plan.ts';
import { readDraft } from '../../src/domain/draft/read-draft.ts';

const FOLDER = new URL('../../examples/prds/', import.meta.url);
const read = (file: string): string => readFileSync(new URL(file, FOLDER), 'utf8');
const names = readdirSync(FOLDER).filter((file) => file.endsWith('.md'));

test('there are three examples', () => {
  expect(names).toEqual(['monorepo.md', 'service.md', 'tiny.md']);
});

test.each(names)('%s is read as the graph that is written beside it', (name) => {
  const { root, edges, problems } = readDraft(read(name), 'unnamed');
  const graph: unknown = JSON.parse(read(name.replace(/md$/, 'graph.json')));
  expect({
    nodes: inShort(root),
    edges: edges.map(({ from, on, line }) => `${from} after ${on} (line ${line})`),
  }).toEqual(graph);
  expect(problems).toEqual([]);
});

test.each(names)('%s reads the same with Windows line ends', (name) => {
  const text = read(name);
  expect(readDraft(text.replaceAll('\n', '\r\n'), 'x')).toEqual(readDraft(text, 'x'));
});

/** Nodes in the order of the document, with what differs from a plain task. */
function inShort({ children, acceptance, ...node }: DraftNode): object[] {
  const plain = Object.entries({ ...node, acceptance: acceptance.map(({ text }) => text) }).filter(
    ([name, value]) => !isPlain(name, value),
  );
  return [Object.fromEntries(plain), ...children.flatMap(inShort)];
}

const isPlain = (name: string, value: unknown): boolean =>
  value === null ||
  value === '' ||
  value === false ||
  (name === 'priority' && value === 2) ||
  (Array.isArray(value) && value.length === 0);
