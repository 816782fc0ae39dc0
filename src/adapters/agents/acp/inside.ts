import { lstatSync, realpathSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * Whether a path that an agent names is really in the worktree: links are followed, also those that
 * point to nothing yet, and `..` is read both as text and as the system reads it. Git's own file there
 * is not the agent's to touch.
 */
export function isInside(worktree: string, named: string): boolean {
  const path = plainPath(named);
  if (path === null) return false;
  const root = realpathSync(worktree);
  const asText = realPlace(resolve(worktree, path));
  const asWalked = realPlace(isAbsolute(path) ? path : `${worktree}/${path}`);
  return [asText, asWalked].every((place) => place !== null && isBelow(root, place));
}

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
