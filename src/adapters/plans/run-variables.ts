import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type { RunVariables, Variables } from '../../ports/ship.ts';

/** Keeps each run's values in a file that only its owner can read; it goes when the run ends. */
export function openRunVariables(dir: string): RunVariables {
  const fileOf = (run: string): string => join(dir, `${run.replaceAll(/[^0-9a-z-]/g, '')}.json`);
  return {
    keep: async (run, values) => {
      if (Object.keys(values).length === 0) return;
      await mkdir(dir, { recursive: true, mode: 0o700 });
      const file = fileOf(run);
      await writeFile(`${file}.new`, JSON.stringify(values), { mode: 0o600 });
      await rename(`${file}.new`, file);
    },
    read: async (run) => {
      const text = await readFile(fileOf(run), 'utf8').catch(() => '{}');
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only keep() writes these files
      return JSON.parse(text) as Variables;
    },
    readFile: (path) => readEnvFile(path),
    forget: (run) => rm(fileOf(run), { force: true }),
  };
}

async function readEnvFile(path: string): Promise<Result<Variables, string>> {
  const text = await readFile(path, 'utf8').catch(() => null);
  return text === null ? err(`The file ${path} cannot be read.`) : ok(parseEnv(text));
}

/** Lines of `KEY=value`; quotes around a value are taken off, comments and anything else are not read. */
export function parseEnv(text: string): Variables {
  const found = text.split(/\r?\n/).flatMap((line) => {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*?)\s*$/.exec(line);
    return match === null ? [] : [[match[1] ?? '', unquoted(match[2] ?? '')] as const];
  });
  return Object.fromEntries(found);
}

function unquoted(value: string): string {
  const quoted = /^(["'])(.*)\1$/.exec(value);
  if (quoted === null) return value.replace(/\s+#.*$/, '');
  const [, quote, inner = ''] = quoted;
  return quote === '"'
    ? inner.replaceAll(String.raw`\n`, '\n').replaceAll(String.raw`\"`, '"')
    : inner;
}
