import { existsSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, dirname, join, sep } from 'node:path';

/** What the commands may not see, and what must be shown in spite of that. */
export type HiddenPlaces = {
  readonly masks: readonly string[];
  /** Programs and settings below a mask, read-only. */
  readonly shown: readonly string[];
};

/** Directories under a home that hold programs and nothing private. */
const KNOWN_TOOL_ROOTS = `
  .pyenv .nvm .rbenv .asdf .volta .fnm .rustup .sdkman
  .local/share/mise .local/share/fnm .local/share/uv .local/share/pnpm`
  .trim()
  .split(/\s+/);

/** Homes, the user's own checkout and the sockets of this machine's services are hidden. */
export function hiddenPlaces(root: string, outsidePath: string): HiddenPlaces {
  const wanted = [homedir(), '/root', '/home', '/run', root].filter(
    (path) => path !== '/' && existsSync(path) && !path.startsWith('/tmp/'),
  );
  const masks = [...new Set(wanted.map((path) => realpathSync(path)))].toSorted();
  // The commands get a /tmp of their own, so programs that lie in this machine's are hidden too.
  const isMasked = (path: string): boolean =>
    [...masks, '/tmp'].some((mask) => path === mask || path.startsWith(mask + sep));
  const shown = [
    ...KNOWN_TOOL_ROOTS.map((name) => join(homedir(), name)),
    ...outsidePath.split(delimiter).filter((entry) => entry.startsWith('/')),
    dirname(realpathSync(process.execPath)),
    '/etc/resolv.conf',
  ]
    .filter((path) => existsSync(path))
    // A program may be asked for under either name.
    .flatMap((path) => [path, realpathSync(path)]);
  return { masks, shown: [...new Set(shown)].filter(isMasked).toSorted() };
}
