import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * A path that an agent names, where it is really in the worktree; null elsewhere. Links are followed,
 * also those that point to nothing yet, and `..` is read both as text and as the system reads it.
 * Git's own file there is not the agent's to touch.
 */
export function placeInside(worktree: string, named: string): string | null {
  const path = plainPath(named);
  if (path === null) return null;
  const root = realpathSync(worktree);
  const asText = realPlace(resolve(worktree, path));
  const asWalked = realPlace(isAbsolute(path) ? path : `${worktree}/${path}`);
  const isIn = [asText, asWalked].every((place) => place !== null && isBelow(root, place));
  return isIn ? resolve(worktree, path) : null;
}

export const isInside = (worktree: string, named: string): boolean =>
  placeInside(worktree, named) !== null;

function isBelow(root: string, place: string): boolean {
  const git = join(root, '.git');
  if (place === git || place.startsWith(git + sep)) return false;
  return place === root || place.startsWith(root + sep);
}

function plainPath(named: string): string | null {
  if (named === '' || named.includes('\0') || named.startsWith('~')) return null;
  if (!named.startsWith('file:')) return named;
  try {
    return fileURLToPath(named);
  } catch {
    return null;
  }
}

/** Where a path leads, step by step; null where that cannot be told. */
function realPlace(path: string): string | null {
  let at: string = sep;
  for (const step of path.split(sep)) {
    if (step === '' || step === '.') continue;
    const next = step === '..' ? dirname(at) : followed(join(at, step));
    if (next === null) return null;
    at = next;
  }
  return at;
}

function followed(path: string): string | null {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.isSymbolicLink() === true ? realpathSync(path) : path;
  } catch {
    return null;
  }
}
