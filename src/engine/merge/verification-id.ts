import type { World } from '../world.ts';

const CHANCE = 4;
const TREE = 16;

/** Names a run of the gates over a tree, and whose it is: worktrees of a repository are shared. */
export const verificationId = (world: World, tree: string): string =>
  `${prefix(world)}${tree.slice(0, TREE)}-${world.ids.base36(CHANCE)}`;

export const isOurVerification = (world: World, owner: string): boolean =>
  owner.startsWith(prefix(world));

const prefix = ({ runsDir }: World): string => `vf-${fingerprint(runsDir)}-`;

/** FNV-1a: enough to tell the workspaces of one machine apart. */
function fingerprint(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(36);
}
