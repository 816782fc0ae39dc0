import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { KeptLog } from '../../domain/retention/expired-logs.ts';
import { executionId, isExecutionId } from '../../ports/executor.ts';
import type { LogStore } from '../../ports/log-store.ts';

/** The logs below one directory, a folder for each execution. */
export function localLogs(directory: string): LogStore {
  return {
    async list() {
      const found = await readdir(directory, { withFileTypes: true }).catch(() => []);
      const folders = found.filter((entry) => entry.isDirectory() && isExecutionId(entry.name));
      const logs: KeptLog[] = [];
      for (const { name } of folders) logs.push(await measured(directory, name));
      return logs;
    },
    remove: (name) => rm(join(directory, executionId(name)), { recursive: true, force: true }),
  };
}

async function measured(directory: string, name: string): Promise<KeptLog> {
  const folder = join(directory, name);
  const inside = await readdir(folder, { recursive: true }).catch(() => []);
  let [bytes, lastAt] = [0, 0];
  for (const path of [folder, ...inside.map((file) => join(folder, file))]) {
    // Whatever vanishes meanwhile takes no room.
    const found = await stat(path).catch(() => null);
    if (found === null) continue;
    bytes += found.isFile() ? found.size : 0;
    lastAt = Math.max(lastAt, found.mtimeMs);
  }
  return { name, bytes, lastAt };
}
