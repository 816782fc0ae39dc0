import { existsSync } from 'node:fs';
import type { HiddenPlaces } from './hidden-places.ts';
import type { Scratch } from './scratch.ts';

/** The options of bubblewrap for one rehearsal: read-only system, hidden homes, own processes. */
export function bubblewrapOptions(scratch: Scratch, { masks, shown }: HiddenPlaces): string[] {
  const open = [scratch.tree, scratch.home, scratch.temp];
  return [
    words('--ro-bind / / --dev /dev --proc /proc'),
    masks.flatMap((path) => ['--tmpfs', path]),
    ['--bind', scratch.temp, '/tmp'],
    shown.flatMap((path) => ['--ro-bind', path, path]),
    open.flatMap((path) => ['--bind', path, path]),
    existsSync('/etc/shadow') ? ['--ro-bind', '/dev/null', '/etc/shadow'] : [],
    words('--unshare-pid --unshare-ipc --unshare-uts --die-with-parent --cap-drop ALL'),
  ].flat();
}

const words = (text: string): string[] => text.split(' ');
