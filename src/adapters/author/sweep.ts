import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

const LEFT_BEHIND_MS = 60 * 60 * 1000;

/** Removes rooms of runs that were killed before they could tidy up; one in use is younger. */
export async function sweep(scratch: string): Promise<void> {
  for (const name of await readdir(scratch).catch(() => [])) {
    if (!/^(?:carry|author)-[0-9a-f]{12}$/.test(name)) continue;
    const room = join(scratch, name);
    const info = await stat(room).catch(() => null);
    if (info !== null && Date.now() - info.mtimeMs > LEFT_BEHIND_MS)
      await rm(room, { recursive: true, force: true });
  }
}
