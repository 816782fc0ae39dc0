// Runs benchmarks: npm run bench [-- <name> … [--flag value …]]. Each prints one JSON line: name, ours,
// reference, ratio, unit. Flags, which come last, go to every benchmark that was named.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const words = process.argv.slice(2);
const first = words.findIndex((word) => word.startsWith('-'));
const wanted = first === -1 ? words : words.slice(0, first);
const flags = first === -1 ? [] : words.slice(first);
const known = readdirSync('bench')
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.test.ts'))
  .map((file) => file.replace(/\.ts$/, ''));
const unknown = wanted.filter((name) => !known.includes(name));
if (unknown.length > 0) {
  console.error(`No benchmark ${unknown.join(', ')}. There is ${known.join(', ')}.`);
  process.exit(2);
}
let failed = 0;
for (const name of wanted.length > 0 ? wanted : known) {
  const file = join('bench', `${name}.ts`);
  const { status } = spawnSync(process.execPath, ['--no-warnings', file, ...flags], {
    stdio: 'inherit',
  });
  if (status !== 0) failed = 1;
}
process.exit(failed);
