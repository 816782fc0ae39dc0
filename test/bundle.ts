import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { build } from 'esbuild';

export type Bundle = { readonly file: string; remove(): void };

/** A program of the tests in one file: it starts often, and sources take much longer to load. */
export async function bundle(entry: string): Promise<Bundle> {
  const folder = mkdtempSync(join(tmpdir(), 'convoy-bundle-'));
  const file = join(folder, `${basename(entry, '.ts')}.mjs`);
  await build({
    entryPoints: [entry],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['pg-native'],
    logLevel: 'error',
    banner: {
      js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);",
    },
  });
  return { file, remove: () => rmSync(folder, { recursive: true, force: true }) };
}
