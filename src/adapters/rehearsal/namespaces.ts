import { join } from 'node:path';
import type { HiddenPlaces } from './hidden-places.ts';

/**
 * Makes a mount namespace as bubblewrap would, with the tools every Linux has.
 *
 * Arguments: the staging directory, the places that stay writable, `--`, those that are shown
 * read-only, `--`, what is hidden, `--`, the directory for /tmp, the command. What lies below a
 * hidden place must be staged before, because afterwards its own path leads nowhere.
 */
const MAKE_ROOM_SOURCE = `
set -e
here=$PWD
stage=$1; shift
mkdir -p "$stage"
mount -t tmpfs convoy "$stage"
count=0
keep() {
  count=$((count + 1))
  if [ -d "$2" ]; then mkdir "$stage/$count"; else : > "$stage/$count"; fi
  mount --rbind "$2" "$stage/$count"
  printf '%s\\n%s\\n' "$1" "$2" >> "$stage/plan"
}
while [ "$1" != -- ]; do keep rw "$1"; shift; done; shift
while [ "$1" != -- ]; do keep ro "$1"; shift; done; shift
# The stage itself must outlive the hiding of the place in which it lies.
mount --rbind "$stage" /mnt
while [ "$1" != -- ]; do mount -t tmpfs -o mode=755 convoy "$1"; shift; done; shift
mount --bind "/mnt/$1" /tmp; shift
[ ! -e /etc/shadow ] || mount --bind /dev/null /etc/shadow
count=0
while read -r mode && read -r path; do
  count=$((count + 1))
  if [ -d "/mnt/$count" ]; then mkdir -p "$path"
  else mkdir -p "\${path%/*}"; [ -e "$path" ] || : > "$path"; fi
  mount --rbind "/mnt/$count" "$path"
  [ "$mode" = rw ] || mount -o remount,bind,ro "$path"
done < /mnt/plan
umount -l /mnt 2>/dev/null || :
mount -o remount,bind,ro /
cd "$here"
exec "$@"
`;

export type NamespaceTools = {
  readonly unshare: string;
  readonly setpriv: string;
  /** Who runs the commands. */
  readonly uid: number;
  readonly gid: number;
};

/** The argv that runs a command in namespaces of its own, without a single privilege. */
export function namespacesArgv(
  tools: NamespaceTools,
  scratch: {
    readonly root: string;
    readonly tree: string;
    readonly home: string;
    readonly temp: string;
  },
  { masks, shown }: HiddenPlaces,
): string[] {
  const open = [scratch.tree, scratch.home, scratch.temp];
  const isRoot = tools.uid === 0;
  const user = isRoot ? [] : ['--user', '--map-root-user'];
  // Only the mounts need to be made by a root of their own; the commands run as who they are.
  const back = ['--user', `--map-user=${tools.uid}`, `--map-group=${tools.gid}`, '--'];
  const spaces = ['--pid', '--mount', '--ipc', '--uts', '--fork', '--kill-child', '--mount-proc'];
  return [
    [tools.unshare, ...user, ...spaces, '--', 'sh', '-c', MAKE_ROOM_SOURCE, 'convoy-room'],
    [join(scratch.root, 'stage'), ...open, '--', ...shown, '--', ...masks, '--'],
    // The third of the writable places is the one for /tmp.
    ['3', ...(isRoot ? [] : [tools.unshare, ...back])],
    [tools.setpriv, '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs', '--'],
  ].flat();
}
