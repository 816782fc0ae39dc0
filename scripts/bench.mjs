// Runs benchmarks: npm run bench [-- <name> … [--flag …]]; what follows the first flag is theirs. Each prints one JSON line: name, ours, reference, ratio, unit.
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';

const words = process.argv.slice(2);
const firstFlag = words.findIndex((word) => word.startsWith('-'));
const wanted = firstFlag === -1 ? words : words.slice(0, firstFlag);
const flags = firstFlag === -1 ? [] : words.slice(firstFlag);
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
  const { status } = spawnSync(
    process.execPath,
    ['--no-warnings', join('bench', `${name}.ts`), ...flags],
    {
      stdio: 'inherit',
    },
  );
  if (status !== 0) failed = 1;
}
process.exit(failed);
