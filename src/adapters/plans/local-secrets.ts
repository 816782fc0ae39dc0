import { createHash } from 'node:crypto';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonical } from '../../domain/ship/plan/canonical.ts';
import type { SecretStore, Variables } from '../../ports/ship.ts';

/** The secrets of lanes that run on this machine, each in a file that only its owner can read. */
export function openLocalSecrets(dir: string): SecretStore {
  const fileOf = (repo: string, lane: string): string =>
    join(dir, `${createHash('sha256').update(`${repo}\0${lane}`).digest('hex').slice(0, 24)}.json`);
  return {
    stage: async (repo, lane, values) => {
      const file = fileOf(repo, lane);
      if (Object.keys(values).length === 0) return rm(file, { force: true });
      await mkdir(dir, { recursive: true, mode: 0o700 });
      await writeFile(`${file}.new`, JSON.stringify(values), { mode: 0o600 });
      await rename(`${file}.new`, file);
    },
    read: (repo, lane) => kept(fileOf(repo, lane)),
    holds: async (repo, lane, values) =>
      canonical(await kept(fileOf(repo, lane))) === canonical(values),
  };
}

async function kept(file: string): Promise<Variables> {
  const text = await readFile(file, 'utf8').catch(() => '{}');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only stage() writes these files
  return JSON.parse(text) as Variables;
}
