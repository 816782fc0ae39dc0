import { execFileSync } from 'node:child_process';
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Builds the bundles once before the tests that run the real command line, if sources are newer. */
export function setup(): void {
  const built = modified('dist/cli.js');
  if (built > 0 && newest(['src', 'scripts/build.mjs', 'bin']) <= built) return;
  execFileSync(process.execPath, ['scripts/build.mjs'], { stdio: 'inherit' });
}

function newest(paths: readonly string[]): number {
  const files = paths.flatMap((path) =>
    statSync(path).isDirectory()
      ? readdirSync(path, { recursive: true, encoding: 'utf8' })
          .filter((file) => !file.endsWith('.test.ts'))
          .map((file) => join(path, file))
      : [path],
  );
  return Math.max(...files.map(modified));
}

const modified = (path: string): number => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
