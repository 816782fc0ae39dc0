import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir, totalmem } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Isolation } from '../../ports/rehearsal.ts';
import { bubblewrapOptions } from './bubblewrap.ts';
import { findProgram } from './find-program.ts';
import { hiddenPlaces } from './hidden-places.ts';
import { namespacesArgv } from './namespaces.ts';
import type { Scratch } from './scratch.ts';
import { STAY_SOURCE } from './stay-source.ts';

/** How commands are kept away from the rest of the machine. */
export type Sandbox = {
  readonly isolation: Isolation;
  readonly note: string;
  /** The argv that runs a command to its end; what it leaves in the background ends with it. */
  readonly wrap: Wrap;
  /** The argv that runs a service, also one that goes into the background. */
  readonly wrapService: Wrap;
};
type Wrap = (argv: readonly string[], scratch: Scratch, root: string) => string[];

const ANY = 1_000_000;
const KEPT_AWAY = 'read-only system, own processes and /tmp, home directories hidden';

/** Finds the best isolation that really works here (or the one that is wanted), and says what it lacks. */
export async function findSandbox(outsidePath: string, wanted?: Isolation): Promise<Sandbox> {
  const limits = await findLimits(outsidePath);
  const noLimits = limits.length > 0 ? '' : '; no resource limits (prlimit does not work here)';
  for (const [name, find] of [
    ['bubblewrap', bubblewrap],
    ['namespaces', namespaces],
  ] as const) {
    const found =
      wanted === undefined || wanted === name ? await find(outsidePath, limits, noLimits) : null;
    if (found !== null) return found;
  }
  const why = wanted === undefined ? 'neither bubblewrap nor namespaces work here' : 'as asked';
  return {
    isolation: 'process group only',
    note: `process group only (${why}): scrubbed environment and own copy, but the commands can read whatever this user can read${noLimits}`,
    wrap: (argv) => [...limits, ...argv],
    wrapService: (argv) => [...limits, ...argv],
  };
}

async function bubblewrap(
  outsidePath: string,
  limits: readonly string[],
  noLimits: string,
): Promise<Sandbox | null> {
  const bwrap = await findProgram('bwrap', outsidePath);
  const smallest = '--ro-bind / / --dev /dev --proc /proc --unshare-pid --cap-drop ALL -- true';
  if (bwrap === null || !(await works([bwrap, ...smallest.split(' ')]))) return null;
  const wrap: Wrap = (argv, scratch, root) => [
    bwrap,
    ...bubblewrapOptions(scratch, hiddenPlaces(root, outsidePath)),
    '--',
    ...limits,
    ...argv,
  ];
  return {
    isolation: 'bubblewrap',
    note: `bubblewrap: ${KEPT_AWAY}, network shared${noLimits}`,
    wrap,
    wrapService: (argv, scratch, root) => wrap(stay(2, argv), scratch, root),
  };
}

async function namespaces(
  outsidePath: string,
  limits: readonly string[],
  noLimits: string,
): Promise<Sandbox | null> {
  const unshare = await findProgram('unshare', outsidePath);
  const setpriv = await findProgram('setpriv', outsidePath);
  if (unshare === null || setpriv === null) return null;
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  const tools = { unshare, setpriv, uid, gid };
  const room = (places: Parameters<typeof namespacesArgv>[1], root: string): string[] =>
    namespacesArgv(tools, places, hiddenPlaces(root, outsidePath));
  if (!(await isRoomy(room))) return null;
  return {
    isolation: 'namespaces',
    note: `namespaces: ${KEPT_AWAY}, network shared${noLimits}`,
    // As the first process of its namespace a command would be deaf to signals.
    wrap: (argv, scratch, root) => [...room(scratch, root), ...stay(ANY, [...limits, ...argv])],
    wrapService: (argv, scratch, root) => [
      ...room(scratch, root),
      ...stay(1, [...limits, ...argv]),
    ],
  };
}

/** Tries a room once: it must be there, it must be read-only outside its own places. */
async function isRoomy(
  room: (places: Parameters<typeof namespacesArgv>[1], root: string) => string[],
): Promise<boolean> {
  const root = await mkdtemp(join(await realpath(tmpdir()), 'convoy-room-'));
  const place = (name: string): string => join(root, name);
  const places = { root, tree: place('tree'), home: place('home'), temp: place('tmp') };
  await Promise.all([places.tree, places.home, places.temp].map(async (path) => mkdir(path)));
  const trial = `touch "$1/t" && touch "$2/t" && ! touch /usr/convoy-room 2>/dev/null`;
  const isWorking = await works([
    ...room(places, places.tree),
    'sh',
    '-c',
    trial,
    'convoy-trial',
    places.tree,
    places.home,
  ]);
  await rm(root, { recursive: true, force: true });
  return isWorking;
}

const stay = (alone: number, argv: readonly string[]): string[] => [
  'sh',
  '-c',
  STAY_SOURCE,
  'convoy-stay',
  String(alone),
  ...argv,
];

async function findLimits(outsidePath: string): Promise<string[]> {
  const prlimit = await findProgram('prlimit', outsidePath);
  if (prlimit === null) return [];
  const data = Math.max(1 << 30, Math.floor(totalmem() / 2));
  const argv = [prlimit, '--core=0', `--fsize=${8 * 2 ** 30}`, `--data=${data}`, '--'];
  return (await works([...argv, 'true'])) ? argv : [];
}

async function works([program = '', ...rest]: readonly string[]): Promise<boolean> {
  return promisify(execFile)(program, rest, { timeout: 5_000, cwd: '/' }).then(
    () => true,
    () => false,
  );
}
