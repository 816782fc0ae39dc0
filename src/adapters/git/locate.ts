import { readFile, realpath, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type { NotARepository } from '../../ports/repository.ts';

/** Where a repository keeps its things. */
export type Place = {
  /** Of the checkout that was named. */
  readonly gitDir: string;
  /** Shared by all worktrees. */
  readonly commonDir: string;
  readonly workTree: string | null;
  /** The first checkout, unless the repository is bare. */
  readonly mainWorkTree: string | null;
};

/** Finds the repository at or above a path by looking at files, because asking git would read its config. */
export async function locate(path: string): Promise<Result<Place, NotARepository>> {
  const start = await realpath(path).catch(() => null);
  for (let at = start; at !== null; at = dirname(at) === at ? null : dirname(at)) {
    const place = (await ordinary(at)) ?? (await bare(at));
    if (place !== null) return ok(place);
  }
  return err({ kind: 'not_a_repository', path });
}

async function ordinary(directory: string): Promise<Place | null> {
  const dotGit = join(directory, '.git');
  const kind = await sortOf(dotGit);
  if (kind === 'directory' && (await isGitDir(dotGit))) {
    const gitDir = await realpath(dotGit);
    return { gitDir, commonDir: gitDir, workTree: directory, mainWorkTree: directory };
  }
  if (kind !== 'file') return null;
  const named = await pointer(dotGit, /^gitdir: (.+?)\n*$/s);
  if (named === null) return null;
  const gitDir = await realpath(resolve(directory, named)).catch(() => null);
  if (gitDir === null) return null;
  const shared = await pointer(join(gitDir, 'commondir'), /^(.+?)\n*$/s);
  if (shared === null) {
    return { gitDir, commonDir: gitDir, workTree: directory, mainWorkTree: directory };
  }
  const commonDir = await realpath(resolve(gitDir, shared)).catch(() => null);
  if (commonDir === null || !(await isGitDir(commonDir))) return null;
  const mainWorkTree = commonDir.endsWith('/.git') ? dirname(commonDir) : null;
  return { gitDir, commonDir, workTree: directory, mainWorkTree };
}

async function bare(directory: string): Promise<Place | null> {
  if (!(await isGitDir(directory))) return null;
  // Standing inside `.git` means the checkout around it, not a bare repository.
  if (directory.endsWith('/.git')) return ordinary(dirname(directory));
  return { gitDir: directory, commonDir: directory, workTree: null, mainWorkTree: null };
}

async function isGitDir(directory: string): Promise<boolean> {
  const [head, objects, refs] = await Promise.all(
    ['HEAD', 'objects', 'refs'].map((name) => sortOf(join(directory, name))),
  );
  return head === 'file' && objects === 'directory' && refs === 'directory';
}

async function sortOf(path: string): Promise<'file' | 'directory' | null> {
  const found = await stat(path).catch(() => null);
  if (found?.isFile() === true) return 'file';
  return found?.isDirectory() === true ? 'directory' : null;
}

async function pointer(file: string, shape: RegExp): Promise<string | null> {
  const text = await readFile(file, 'utf8').catch(() => null);
  return text?.match(shape)?.[1] ?? null;
}
