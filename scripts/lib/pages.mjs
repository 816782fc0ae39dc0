// Writes generated pages, or with --check only says which of them are stale.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export const root = resolve(import.meta.dirname, '..', '..');

/** What writes all of them. */
export const COMMAND = 'npm run docs:reference';

/** `pages` maps a path from the root to its text. */
export function writePages(pages) {
  const check = process.argv.includes('--check');
  for (const [name, text] of Object.entries(pages)) {
    const path = resolve(root, name);
    if (read(path) === text) continue;
    if (check) {
      console.error(`${name} is stale: run ${COMMAND}`);
      process.exitCode = 1;
      continue;
    }
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
    console.log(`wrote ${name}`);
  }
}

function read(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  }
}
