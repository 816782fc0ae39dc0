import { execFile } from 'node:child_process';
import { existsSync, realpathSync } from 'node:fs';
import { access, constants } from 'node:fs/promises';
import { homedir, totalmem } from 'node:os';
import { delimiter, dirname, join, sep } from 'node:path';
import { promisify } from 'node:util';
import type { Isolation } from '../../ports/rehearsal.ts';
import type { Scratch } from './scratch.ts';

/** How commands are kept away from the rest of the machine. */
export type Sandbox = {
  readonly isolation: Isolation;
  readonly note: string;
  /** The argv that runs a command to its end; what it leaves in the background may end with it. */
  readonly wrap: (argv: readonly string[], scratch: Scratch, root: string) => string[];
  /** The argv that runs a service, also one that goes into the background. */
  readonly wrapService: (argv: readonly string[], scratch: Scratch, root: string) => string[];
};

/**
 * Stays as long as anything runs in its own process namespace.
 *
 * The namespace ends with its first command. A service that is asked to end together with that
 * command would be cut off, and one that goes into the background would never be seen.
 */
const STAY_SOURCE = `
trap : TERM INT HUP
"$@" &
child=$!
while :; do wait "$child"; code=$?; kill -0 "$child" 2>/dev/null || break; done
while set -- /proc/[0-9]*; [ "$#" -gt 2 ]; do sleep 0.05; done
exit "$code"
`;

const run = promisify(execFile);

/** Finds the best isolation that really works here, and says what it lacks. */
export async function findSandbox(outsidePath: string): Promise<Sandbox> {
  const limits = await findLimits(outsidePath);
  const limitNote = limits.length > 0 ? '' : '; no resource limits (prlimit does not work here)';
  const bwrap = await findProgram('bwrap', outsidePath);
  if (bwrap !== null && (await works(bwrap))) {
    const wrap: Sandbox['wrap'] = (argv, scratch, root) => [
      bwrap,
      ...bubblewrapArguments(scratch, masksFor(root), toolRoots(outsidePath)),
      '--',
      ...limits,
      ...argv,
    ];
    return {
      isolation: 'bubblewrap',
      note: `bubblewrap: read-only system, own processes and /tmp, home directories hidden, network shared${limitNote}`,
      wrap,
      wrapService: (argv, scratch, root) =>
        wrap(['sh', '-c', STAY_SOURCE, 'convoy-stay', ...argv], scratch, root),
    };
  }
  const why = bwrap === null ? 'bubblewrap is not installed' : 'bubblewrap does not work here';
  return {
    isolation: 'process group only',
    note: `process group only (${why}): scrubbed environment and own copy, but the commands can read whatever this user can read${limitNote}`,
    wrap: (argv) => [...limits, ...argv],
    wrapService: (argv) => [...limits, ...argv],
  };
}

/** The full path of a program, null when it is not there. */
export async function findProgram(name: string, path: string): Promise<string | null> {
  const candidates = name.includes('/')
    ? [name]
    : path.split(delimiter).flatMap((entry) => (entry === '' ? [] : [join(entry, name)]));
  for (const file of candidates) {
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return null;
}

async function works(bwrap: string): Promise<boolean> {
  const smallest = ['--ro-bind', '/', '/', '--dev', '/dev', '--proc', '/proc', '--unshare-pid'];
  return run(bwrap, [...smallest, '--cap-drop', 'ALL', '--', 'true'], { timeout: 5_000 }).then(
    () => true,
    () => false,
  );
}

async function findLimits(outsidePath: string): Promise<string[]> {
  const prlimit = await findProgram('prlimit', outsidePath);
  if (prlimit === null) return [];
  const data = Math.max(1 << 30, Math.floor(totalmem() / 2));
  const argv = [prlimit, '--core=0', `--fsize=${8 * 2 ** 30}`, `--data=${data}`, '--'];
  const isAllowed = await run(prlimit, [...argv.slice(1), 'true'], { timeout: 5_000 }).then(
    () => true,
    () => false,
  );
  return isAllowed ? argv : [];
}

/** What nobody inside may see: homes, the user's own checkout, sockets of this machine's services. */
function masksFor(root: string): string[] {
  const masks = [homedir(), '/root', '/home', '/run', root].filter(
    (path) => path !== '/' && existsSync(path) && !path.startsWith('/tmp/'),
  );
  return [...new Set(masks.map((path) => realpathSync(path)))].toSorted();
}

/** Directories under a home that hold programs and nothing private. */
const KNOWN_TOOL_ROOTS = words(
  `.pyenv .nvm .rbenv .asdf .volta .fnm .rustup .sdkman
   .local/share/mise .local/share/fnm .local/share/uv .local/share/pnpm`,
);

function toolRoots(outsidePath: string): string[] {
  const home = homedir();
  const roots = KNOWN_TOOL_ROOTS.map((name) => join(home, name));
  const onPath = outsidePath.split(delimiter).filter((entry) => entry.startsWith('/'));
  const own = [dirname(realpathSync(process.execPath))];
  return [...new Set([...roots, ...onPath, ...own])].filter((path) => existsSync(path));
}

function bubblewrapArguments(
  scratch: Scratch,
  masks: readonly string[],
  tools: readonly string[],
): string[] {
  const isMasked = (path: string): boolean =>
    masks.some((mask) => path === mask || path.startsWith(mask + sep));
  const resolver = existsSync('/etc/resolv.conf') ? realpathSync('/etc/resolv.conf') : '';
  const open = [scratch.tree, scratch.home, scratch.temp];
  return [
    words('--ro-bind / / --dev /dev --proc /proc'),
    masks.flatMap((path) => ['--tmpfs', path]),
    tools.filter(isMasked).flatMap((path) => ['--ro-bind', path, path]),
    isMasked(resolver) ? ['--ro-bind', resolver, resolver] : [],
    ['--bind', scratch.temp, '/tmp'],
    open.flatMap((path) => ['--bind', path, path]),
    existsSync('/etc/shadow') ? ['--ro-bind', '/dev/null', '/etc/shadow'] : [],
    words('--unshare-pid --unshare-ipc --unshare-uts --die-with-parent --cap-drop ALL'),
  ].flat();
}

function words(text: string): string[] {
  return text.split(/\s+/);
}
