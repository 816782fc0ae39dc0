import { directoryTree } from '../src/adapters/scan/directory-tree.ts';
import { scan } from '../src/adapters/scan/scan.ts';
import { worthReading } from '../src/domain/ship/scan/worth-reading.ts';
import type { FileTree } from '../src/ports/file-tree.ts';
import { compare, corpus } from '../test/ship/scan-corpus.ts';
import { median, timed } from './lib/report.ts';

/** Scans the corpus and prints the median next to the bare cost of walking and reading the same files. */
const ROUNDS = 5;

async function walkAndRead(tree: FileTree): Promise<void> {
  const { files } = await tree.list();
  await Promise.all(worthReading(files).map((file) => tree.read(file)));
}

const ours: number[] = [];
const reference: number[] = [];
let fields = 0;
let wrong = 0;
for (const fixture of corpus()) {
  const tree = directoryTree(fixture.directory);
  const result = compare(fixture, await scan(tree));
  fields += result.fields;
  wrong += result.wrong.length;
  const scans: number[] = [];
  const reads: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    reads.push(await timed(() => walkAndRead(tree)));
    scans.push(await timed(() => scan(tree)));
  }
  ours.push(median(scans));
  reference.push(median(reads));
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000;
console.log(
  JSON.stringify({
    name: 'scan',
    ours: rounded(median(ours)),
    reference: rounded(median(reference)),
    ratio: rounded(median(ours) / median(reference)),
    unit: 'ms',
    accuracy: rounded((fields - wrong) / fields),
  }),
);
