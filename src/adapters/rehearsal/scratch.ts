import { spawn } from 'node:child_process';
import { chmod, lstat, mkdir, readFile, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MARKER } from '../../domain/ship/rehearsal/step-environment.ts';
import { createFamily } from './family.ts';
import type { Family } from './family.ts';
import { rowOf } from './process-table.ts';
import { endAll } from './end-all.ts';
import { WATCHDOG_SOURCE } from './watchdog-source.ts';

/** The throw-away place of one rehearsal and everything that runs in it. */
export type Scratch = {
  readonly id: string;
  readonly root: string;
  readonly tree: string;
  readonly home: string;
  readonly temp: string;
  readonly stores: string;
  /** Everything of this rehearsal, the data stores included. */
  readonly family: Family;
  /** A family for one step: the data stores do not belong to it. */
  readonly newFamily: () => Family;
  /** Removes the place and dismisses the watchdog; answers what could not be removed. */
  readonly release: () => Promise<string[]>;
};

const PREFIX = 'convoy-rehearsal-';
const STARTING_MS = 3_600_000;

/** Makes the place and sets a watchdog on it that survives our death. */
export async function openScratch(id: string, base: string = tmpdir()): Promise<Scratch> {
  const root = join(await realpath(base), PREFIX + id);
  await mkdir(root, { mode: 0o711 });
  const place = (name: string): string => join(root, name);
  await writeFile(place('owner'), `${process.pid} ${rowOf(process.pid)?.start ?? 0}`);
  const dismiss = setWatchdog(`${MARKER}=${id}`, root);
  await Promise.all(
    ['tree', 'home', 'tmp', 'stores'].map(async (name) => mkdir(place(name), { mode: 0o700 })),
  );
  // A database server that may not run as root must be able to reach its own directory.
  await chmod(place('stores'), 0o711);
  return {
    id,
    root,
    tree: place('tree'),
    home: place('home'),
    temp: place('tmp'),
    stores: place('stores'),
    family: createFamily(`${MARKER}=${id}`, root),
    newFamily: () => createFamily(`${MARKER}=${id}`, place('tree')),
    release: async () => {
      const left = await remove(root);
      if (left.length === 0) dismiss();
      return left;
    },
  };
}

/** Ends and removes what rehearsals left whose program and watchdog were both killed. */
export async function clearAbandoned(base: string = tmpdir()): Promise<string[]> {
  const names = await readdir(base).catch(() => []);
  const cleared: string[] = [];
  for (const name of names.filter((entry) => entry.startsWith(PREFIX))) {
    const root = join(await realpath(base), name);
    if (await isOwned(root)) continue;
    const family = createFamily(`${MARKER}=${name.slice(PREFIX.length)}`, root);
    await endAll(family.sweep, 0);
    if ((await remove(root)).length === 0) cleared.push(root);
  }
  return cleared;
}

async function isOwned(root: string): Promise<boolean> {
  const stat = await lstat(root).catch(() => null);
  // Whatever another user has put there is not ours to clear.
  if (stat === null || !stat.isDirectory() || stat.uid !== process.getuid?.()) return true;
  const text = await readFile(join(root, 'owner'), 'utf8').catch(() => null);
  // Without a record it may just be starting.
  if (text === null) return Date.now() - stat.mtimeMs < STARTING_MS;
  const [pid, start] = text.split(' ').map(Number);
  return rowOf(pid ?? 0)?.start === start;
}

function setWatchdog(mark: string, root: string): () => void {
  const child = spawn('sh', ['-c', WATCHDOG_SOURCE, 'convoy-watchdog', mark, root], {
    cwd: '/',
    detached: true,
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin' },
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  child.on('error', () => {});
  child.stdin.on('error', () => {});
  child.unref();
  return () => child.stdin.end('done\n');
}

async function remove(root: string): Promise<string[]> {
  try {
    await rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 });
    return [];
  } catch (error) {
    return [`${root}: ${error instanceof Error ? error.message : String(error)}`];
  }
}
