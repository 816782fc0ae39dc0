import { execFile } from 'node:child_process';
import { constants } from 'node:fs';
import { copyFile, lstat, mkdir, readdir, readlink, realpath, symlink } from 'node:fs/promises';
import { dirname, isAbsolute, join, relative, resolve, sep } from 'node:path';
import { promisify } from 'node:util';

export type Copied = { readonly files: number; readonly notes: readonly string[] };

const AT_ONCE = 32;
// Where no git says what is private or made by a tool.
const NEVER_COPIED = new Set(
  '.git .hg .svn .convoy node_modules .venv .env .env.local .env.convoy-secrets'.split(' '),
);

/** Copies a working tree as it is now: tracked files and new ones, nothing that git ignores. */
export async function copyWorkingTree(
  root: string,
  into: string,
  signal: AbortSignal,
): Promise<Copied> {
  const from = await realpath(root);
  const listed = (await gitFiles(from)) ?? (await walk(from, '.'));
  const notes: string[] = [];
  const queue = listed.values();
  let files = 0;
  async function work(): Promise<void> {
    for (const file of queue) {
      signal.throwIfAborted();
      const note = await copyEntry(from, into, file);
      if (note === null) files++;
      else if (note !== '') notes.push(note);
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return { files, notes };
}

/** Null when this is no git repository, or there is no git to ask. */
async function gitFiles(root: string): Promise<string[] | null> {
  const safe = ['core.hooksPath=/dev/null', 'core.fsmonitor=false', 'safe.directory=*'];
  const list = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '--', '.'];
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('GIT_'));
  const env = { ...Object.fromEntries(own), GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };
  try {
    const argv = [...safe.flatMap((setting) => ['-c', setting]), '-C', root, ...list];
    const { stdout } = await promisify(execFile)('git', argv, { maxBuffer: 1 << 30, env });
    return [...new Set(stdout.split('\0'))].filter((file) => file !== '' && !isLeftOut(file));
  } catch (error) {
    // Any other trouble must not end in a copy that holds what git would have ignored.
    if (/not a git repository|ENOENT/.test(String(error))) return null;
    throw error;
  }
}

const isLeftOut = (file: string): boolean => file.split('/').some((part) => LEFT_OUT.has(part));

// Secrets are left out even where somebody forgot to have git ignore them.
const LEFT_OUT = new Set(['.git', '.convoy', '.env.convoy-secrets']);

async function walk(root: string, at: string): Promise<string[]> {
  const entries = await readdir(join(root, at), { withFileTypes: true });
  const nested = await Promise.all(
    entries
      .filter((entry) => !NEVER_COPIED.has(entry.name))
      .map(async (entry) => {
        const path = join(at, entry.name);
        return entry.isDirectory() ? walk(root, path) : [path];
      }),
  );
  return nested.flat();
}

/** Null when copied, a note when left out, an empty note when there is nothing to say. */
async function copyEntry(root: string, into: string, file: string): Promise<string | null> {
  const source = join(root, file);
  const target = join(into, file);
  const stat = await lstat(source).catch(() => null);
  // Tracked but deleted in the working tree: the copy lacks it too.
  if (stat === null) return '';
  if (stat.isDirectory()) return copyNested(root, into, file);
  await mkdir(dirname(target), { recursive: true });
  if (stat.isSymbolicLink()) return copyLink(root, source, target, file);
  if (!stat.isFile()) return `${file} is neither a file nor a link and was left out`;
  // A file that became a link since the look must not lead us out of the tree.
  if (!(await realpath(source)).startsWith(root + sep)) return `${file} leads out of the tree`;
  await copyFile(source, target, constants.COPYFILE_FICLONE);
  return null;
}

/** A submodule or a repository inside the tree: git lists only its directory. */
async function copyNested(root: string, into: string, file: string): Promise<string | null> {
  for (const inner of await walk(root, file)) await copyEntry(root, into, inner);
  return null;
}

/** A link stays a link. One that names a place in the tree absolutely is made to name the copy's. */
async function copyLink(
  root: string,
  source: string,
  target: string,
  file: string,
): Promise<string | null> {
  const goal = await readlink(source);
  const absolute = resolve(dirname(source), goal);
  const isInside = absolute === root || absolute.startsWith(root + sep);
  await symlink(isAbsolute(goal) && isInside ? relative(dirname(source), absolute) : goal, target);
  return isInside ? null : `${file} is a link out of the tree (${goal}); it was not followed`;
}
