import { createHash, type Hash } from 'node:crypto';
import { lstat, readFile, readlink } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { RepositoryMark } from '../../domain/ship/plan/plan.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { SourceProblem } from '../../ports/plans.ts';
import { safeGit } from './safe-git.ts';

/** Tells the state of a working tree: its commit and a digest of whatever differs from it. */
export async function markOf(
  root: string,
  env: NodeJS.ProcessEnv,
  listFiles: () => Promise<readonly string[]>,
): Promise<Result<RepositoryMark, SourceProblem>> {
  const inside = await safeGit({ args: ['rev-parse', '--show-prefix'], cwd: root }, env);
  if (inside.code !== 0) {
    if (!/not a git repository|must be run in a work tree|ENOENT/.test(inside.stderr))
      return err({ kind: 'git-failed', target: root, detail: inside.stderr.trim() });
    return ok(await markWithoutGit(root, await listFiles()));
  }
  const prefix = inside.stdout.trim().replace(/\/$/, '');
  const ask = async (...args: string[]): Promise<string | null> => {
    const { code, stdout } = await safeGit({ args, cwd: root }, env);
    return code === 0 ? stdout.trim() : null;
  };
  const [sha, committed, branch, remote, changed] = await Promise.all([
    ask('rev-parse', '--verify', '--quiet', 'HEAD^{commit}'),
    ask('log', '-1', '--format=%cI'),
    ask('symbolic-ref', '--quiet', '--short', 'HEAD'),
    ask('config', '--get', 'remote.origin.url'),
    changedPaths(root, prefix, env),
  ]);
  if (!changed.ok) return changed;
  return ok({
    sha: sha === '' ? null : sha,
    committed_at: committed === '' ? null : committed,
    branch,
    git: true,
    prefix: prefix || '.',
    remote: remote === null ? null : withoutPassword(remote),
    dirty: changed.value.map(({ path }) => path),
    dirty_digest: await digestOf(root, changed.value),
  });
}

type Changed = { readonly path: string; readonly state: string };

async function changedPaths(
  root: string,
  prefix: string,
  env: NodeJS.ProcessEnv,
): Promise<Result<readonly Changed[], SourceProblem>> {
  const args = [
    'status',
    '--porcelain=v1',
    '-z',
    '--no-renames',
    '--untracked-files=all',
    '--ignore-submodules=all',
    '--',
    '.',
  ];
  const settings = await filtersOff(root, env);
  const { code, stdout, stderr } = await safeGit({ args, cwd: root, settings }, env);
  if (code !== 0) return err({ kind: 'git-failed', target: root, detail: stderr.trim() });
  return ok(
    stdout
      .split('\0')
      .filter((entry) => entry !== '')
      // Told from the top of the repository; what it holds is read from here.
      .map((entry) => ({ state: entry.slice(0, 2), path: relative(prefix, entry.slice(3)) }))
      .filter(({ path }) => !path.split('/').includes('.convoy'))
      .toSorted((a, b) => (a.path < b.path ? -1 : 1)),
  );
}

/** Asking what changed would run the repository's own filter programs; they are switched off by name. */
async function filtersOff(
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<readonly (readonly [string, string])[]> {
  const args = ['config', '--list', '--name-only', '-z'];
  const { stdout } = await safeGit({ args, cwd: root }, env);
  const names = new Set(
    stdout.split('\0').flatMap((key) => /^filter\.(.+)\.[^.]+$/s.exec(key)?.[1] ?? []),
  );
  return [...names].flatMap((name) => [
    [`filter.${name}.clean`, ''] as const,
    [`filter.${name}.process`, ''] as const,
    [`filter.${name}.required`, 'false'] as const,
  ]);
}

async function markWithoutGit(root: string, files: readonly string[]): Promise<RepositoryMark> {
  const all = files.toSorted().map((path) => ({ path, state: '??' }));
  return {
    sha: null,
    committed_at: null,
    branch: null,
    git: false,
    prefix: '.',
    remote: null,
    dirty: [],
    dirty_digest: await digestOf(root, all),
  };
}

async function digestOf(root: string, changed: readonly Changed[]): Promise<string> {
  const hash = createHash('sha256');
  for (const { path, state } of changed) {
    hash.update(`${state} ${path}\0`);
    await addContent(hash, join(root, path));
  }
  return hash.digest('hex');
}

const MOST_BYTES = 16 * 1024 * 1024;

async function addContent(hash: Hash, file: string): Promise<void> {
  const stat = await lstat(file).catch(() => null);
  if (stat === null) hash.update('absent\0');
  else if (stat.isSymbolicLink()) hash.update(`link ${await readlink(file).catch(() => '')}\0`);
  else if (!stat.isFile()) hash.update('other\0');
  // A file too large to read each time is told apart by its size and time.
  else if (stat.size > MOST_BYTES) hash.update(`large ${stat.size} ${stat.mtimeMs}\0`);
  else {
    hash.update(`file ${stat.mode & 0o111 ? 'x' : '-'} ${stat.size}\0`);
    hash.update(await readFile(file).catch(() => 'unreadable'));
  }
}

/** An address may carry a password; a plan is shown to people. */
const withoutPassword = (address: string): string => address.replace(/\/\/[^/@]*@/, '//');
