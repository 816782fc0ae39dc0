import { readFile, readdir, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { refOf } from './branches.ts';
import type { Checkout, Git } from './git.ts';

/** A place where somebody has the branch before them. */
export type BranchCheckout = Checkout & {
  /** Why it cannot be moved along, whatever its files look like. */
  readonly obstacle: 'unfinished' | 'absent' | null;
};

/** Every checkout of a branch: the main one and linked worktrees, also while they rebase or bisect it. */
export async function checkoutsOf(git: Git, branch: string): Promise<BranchCheckout[]> {
  const { commonDir, mainWorkTree } = git.view.place;
  const linked = await readdir(join(commonDir, 'worktrees')).catch(() => []);
  const places = [
    ...(mainWorkTree === null ? [] : [{ path: mainWorkTree, gitDir: commonDir }]),
    ...(await Promise.all(linked.map((id) => linkedCheckout(join(commonDir, 'worktrees', id))))),
  ];
  const found = await Promise.all(
    places.filter((place) => place !== null).map((place) => inspect(place, branch)),
  );
  return found.filter((checkout) => checkout !== null);
}

async function linkedCheckout(gitDir: string): Promise<Checkout | null> {
  const named = await readText(join(gitDir, 'gitdir'));
  return named === null ? null : { path: dirname(named), gitDir };
}

async function inspect(place: Checkout, branch: string): Promise<BranchCheckout | null> {
  const { gitDir } = place;
  const head = await readText(join(gitDir, 'HEAD'));
  const onIt = head === `ref: ${refOf(branch)}`;
  const busyWithIt =
    (await readText(join(gitDir, 'rebase-merge/head-name'))) === refOf(branch) ||
    (await readText(join(gitDir, 'rebase-apply/head-name'))) === refOf(branch) ||
    (await readText(join(gitDir, 'BISECT_START'))) === branch;
  if (!onIt && !busyWithIt) return null;
  const there = await exists(place.path);
  // A deleted directory is nobody's checkout, unless it was locked because its disk comes and goes.
  if (!there)
    return (await exists(join(gitDir, 'locked'))) ? { ...place, obstacle: 'absent' } : null;
  return { ...place, obstacle: busyWithIt ? 'unfinished' : null };
}

const readText = (file: string): Promise<string | null> =>
  readFile(file, 'utf8').then(
    (text) => text.trimEnd(),
    () => null,
  );

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );
