import { closeSync, constants, existsSync, openSync, readdirSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { isBranchName } from './ref-name.ts';

const HEADS = 'refs/heads/';
const LONGEST = 66;
const LONGEST_NAME = 4096;

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

/**
 * What a symbolic ref points at: undefined when git has to be asked, null when it is no symbolic ref. Symbolic
 * refs are files of their own, unless refs are kept in another way, and then HEAD names a branch that cannot be.
 */
export function symbolicRef(gitDir: string, ref: string): string | null | undefined {
  const text = readLine(join(gitDir, ref), LONGEST_NAME);
  // A name that is no UTF-8 cannot be said here.
  if (text === null || !text.endsWith('\n') || text.includes('\ufffd')) return undefined;
  if (/^(?:[0-9a-f]{40}|[0-9a-f]{64})\n$/.test(text)) return null;
  const target = /^ref: (refs\/[^\s]+)\n$/.exec(text)?.[1];
  return target === 'refs/heads/.invalid' ? undefined : target;
}

/** HEADs of remotes as git keeps them in files; null when refs are kept in another way. */
export function remoteHeads(commonDir: string): string[] | null {
  if (existsSync(join(commonDir, 'reftable'))) return null;
  const remotes = join(commonDir, 'refs/remotes');
  try {
    return readdirSync(remotes)
      .toSorted()
      .filter((name) => existsSync(join(remotes, name, 'HEAD')))
      .map((name) => `refs/remotes/${name}/HEAD`);
  } catch {
    return existsSync(remotes) ? null : [];
  }
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
    return bytes.toString('utf8', 0, readSync(fd, bytes, 0, longest, 0));
  } catch {
    return null;
  } finally {
    closeSync(fd);
  }
}
