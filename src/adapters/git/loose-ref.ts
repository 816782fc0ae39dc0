import { closeSync, constants, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isBranchName } from './ref-name.ts';

const HEADS = 'refs/heads/';
const LONGEST = 66;

/**
 * Where a branch points, if it has a file of its own that holds a plain commit id: that file outranks
 * everything else git knows, so reading it is asking git. Null means that git has to be asked: the branch
 * may be packed, symbolic, kept in another way, or not there.
 */
export function looseRef(commonDir: string, ref: string): string | null {
  if (!ref.startsWith(HEADS) || !isBranchName(ref.slice(HEADS.length))) return null;
  const text = readLine(join(commonDir, ref));
  return text !== null && /^(?:[0-9a-f]{40}|[0-9a-f]{64})\n?$/.test(text) ? text.trimEnd() : null;
}

/** A link is not followed, and a pipe that somebody put there does not make us wait. */
export function readLine(file: string, longest = LONGEST): string | null {
  let fd: number;
  try {
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    return null;
  }
  try {
    const bytes = Buffer.alloc(longest);
    return bytes.toString('latin1', 0, readSync(fd, bytes, 0, longest, 0));
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
