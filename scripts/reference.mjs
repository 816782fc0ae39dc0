// Writes the generated pages of docs/reference; with --check it only says whether they are stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { cliReference } from '../src/cli/reference.ts';
import { COMMANDS } from '../src/cli/table.ts';

const root = resolve(import.meta.dirname, '..');
const pages = { 'docs/reference/cli.md': cliReference(COMMANDS) };
const check = process.argv.includes('--check');
let stale = 0;

for (const [name, text] of Object.entries(pages)) {
  const path = resolve(root, name);
  if (read(path) === text) continue;
  stale += 1;
  if (check) {
    console.error(`${name} is stale: run npm run docs:reference`);
    continue;
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
  console.log(`wrote ${name}`);
}
if (check && stale > 0) process.exitCode = 1;

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
