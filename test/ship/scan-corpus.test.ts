import { expect, test } from 'vitest';
import { directoryTree } from '../../src/adapters/scan/directory-tree.ts';
import { scan } from '../../src/adapters/scan/scan.ts';
import { compare, corpus } from './scan-corpus.ts';

const fixtures = corpus();
const MUST_BE_RIGHT = /\.(kind|ecosystem|framework|start)$/;

test('there are at least sixty repositories in the corpus', () =>
  expect(fixtures.length).toBeGreaterThanOrEqual(60));

test('DC-2 DC-3 DC-4 DC-6: the corpus is read right in at least 98 % of its fields', async () => {
  let fields = 0;
  const wrong = [];
  for (const fixture of fixtures) {
    const result = compare(fixture, await scan(directoryTree(fixture.directory)));
    fields += result.fields;
    wrong.push(...result.wrong);
  }
  const accuracy = (fields - wrong.length) / fields;
  process.stdout.write(
    `scan accuracy ${(accuracy * 100).toFixed(2)} % of ${fields} fields in ${fixtures.length} repositories\n`,
  );
  expect(wrong.filter(({ field }) => MUST_BE_RIGHT.test(field))).toEqual([]);
  expect(accuracy >= 0.98 ? [] : wrong).toEqual([]);
});

test.each(fixtures)(
  'every conclusion about $name points at a line that exists',
  async ({ directory }) => {
    const tree = directoryTree(directory);
    const { files } = await tree.list();
    const { lanes } = await scan(tree);
    const cited = lanes.flatMap(({ evidence }) => evidence);
    const texts = new Map<string, string>();
    for (const { file } of cited) texts.set(file, (await tree.read(file)) ?? '');
    const missing = cited.filter(
      ({ file, line, excerpt }) =>
        !files.includes(file) ||
        !(texts.get(file) ?? '').split('\n')[line - 1]?.includes(excerpt.slice(0, 100)),
    );
    expect(missing).toEqual([]);
  },
);
