import { readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { refOf } from './branches.ts';
import type { Checkout, Git } from './git.ts';

/** A place where somebody has the branch before them. */
export type BranchCheckout = Checkout & {
  /** Why it cannot be moved along, whatever its files look like. */
  readonly obstacle: 'unfinished' | 'absent' | null;
};

/** Every checkout of a branch: the main one and linked worktrees, also while they rebase or bisect it. */
export function checkoutsOf(git: Git, branch: string): BranchCheckout[] {
  const { commonDir, mainWorkTree } = git.view.place;
  const places = [
    ...(mainWorkTree === null ? [] : [{ path: mainWorkTree, gitDir: commonDir }]),
    ...namesIn(join(commonDir, 'worktrees')).map((id) =>
      linkedCheckout(join(commonDir, 'worktrees', id)),
    ),
  ];
  // Read without waiting: hundreds of small files take less time than hundreds of turns of the event loop.
  return places
    .filter((place) => place !== null)
    .map((place) => inspect(place, branch))
    .filter((checkout) => checkout !== null);
}

function linkedCheckout(gitDir: string): Checkout | null {
  const named = readText(join(gitDir, 'gitdir'));
  return named === null ? null : { path: dirname(named), gitDir };
}

function inspect(place: Checkout, branch: string): BranchCheckout | null {
  const { gitDir } = place;
  const onIt = readText(join(gitDir, 'HEAD')) === `ref: ${refOf(branch)}`;
  const inside = namesIn(gitDir);
  const busyWithIt =
    (inside.includes('rebase-merge') &&
      readText(join(gitDir, 'rebase-merge/head-name')) === refOf(branch)) ||
    (inside.includes('rebase-apply') &&
      readText(join(gitDir, 'rebase-apply/head-name')) === refOf(branch)) ||
    (inside.includes('BISECT_START') && readText(join(gitDir, 'BISECT_START')) === branch);
  if (!onIt && !busyWithIt) return null;
  // A deleted directory is nobody's checkout, unless it was locked because its disk comes and goes.
  if (!exists(place.path))
    return exists(join(gitDir, 'locked')) ? { ...place, obstacle: 'absent' } : null;
  return { ...place, obstacle: busyWithIt ? 'unfinished' : null };
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

function readText(file: string): string | null {
  try {
    return readFileSync(file, 'utf8').trimEnd();
  } catch {
    return null;
  }
}

const exists = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;
