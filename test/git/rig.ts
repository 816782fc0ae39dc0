import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';
import { openRepository, type OpenOptions } from '../../src/adapters/git/open.ts';
import type { Result } from '../../src/lib/result.ts';
import type { Repository } from '../../src/ports/repository.ts';

/** A repository of a user, in a temporary directory, with its own home. */
export type Rig = {
  readonly root: string;
  readonly repo: string;
  readonly cache: string;
  readonly env: NodeJS.ProcessEnv;
  /** Git as the user runs it: with the user's and the repository's configuration. */
  git(...args: string[]): string;
  gitIn(directory: string, ...args: string[]): string;
  write(file: string, content: string | Buffer): void;
  /** Writes files, commits all and returns the commit. */
  commit(message: string, files?: Readonly<Record<string, string>>): string;
  /** Commits exactly these files on a parent, moving no branch and touching no checkout. */
  plant(files: Readonly<Record<string, string>>, ...parents: readonly string[]): string;
  open(options?: Partial<OpenOptions>): Promise<Repository>;
};

export function makeRig(options: { branch?: string; bare?: boolean } = {}): Rig {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'convoy-git-')));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const repo = join(root, 'repo');
  const home = join(root, 'home');
  const cache = join(root, 'cache');
  mkdirSync(home);
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Ada\n\temail = ada@example.org\n');
  const env: NodeJS.ProcessEnv = { PATH: process.env['PATH'], HOME: home, TMPDIR: root };
  let seconds = 1_700_000_000;

  const feedGit = (cwd: string, input: string, ...args: string[]): string => {
    seconds += 1;
    const at = `@${seconds} +0000`;
    return execFileSync('git', args, {
      cwd,
      env: { ...env, GIT_AUTHOR_DATE: at, GIT_COMMITTER_DATE: at, GIT_CONFIG_NOSYSTEM: '1' },
      encoding: 'utf8',
      input,
      stdio: 'pipe',
    }).trimEnd();
  };
  const gitIn = (cwd: string, ...args: string[]): string => feedGit(cwd, '', ...args);
  const git = (...args: string[]): string => gitIn(repo, ...args);
  const write = (file: string, content: string | Buffer): void => {
    mkdirSync(dirname(join(repo, file)), { recursive: true });
    writeFileSync(join(repo, file), content);
  };
  const kind = options.bare === true ? ['--bare'] : [];
  gitIn(root, 'init', '--quiet', ...kind, '-b', options.branch ?? 'develop', repo);
  return {
    root,
    repo,
    cache,
    env,
    git,
    gitIn,
    write,
    commit: (message, files = {}) => {
      for (const [file, content] of Object.entries(files)) write(file, content);
      git('add', '--all');
      git('commit', '--quiet', '--allow-empty', '-m', message);
      return git('rev-parse', 'HEAD');
    },
    plant: (files, ...parents) => {
      const rows = Object.entries(files).map(([name, content]) => {
        const blob = feedGit(repo, content, 'hash-object', '-w', '--stdin');
        return `100644 blob ${blob}\t${name}\n`;
      });
      const tree = feedGit(repo, rows.join(''), 'mktree');
      const on = parents.flatMap((parent) => ['-p', parent]);
      return feedGit(repo, 'planted\n', 'commit-tree', tree, ...on, '-F', '-');
    },
    open: async (more) =>
      value(await openRepository({ path: repo, cacheDir: cache, env, ...more })),
  };
}

/** The value of a result that must be one. */
export function value<T>(result: Result<T, unknown>): T {
  if (result.ok) return result.value;
  throw new Error(`Expected a value, got ${JSON.stringify(result.error)}`);
}

/** The error of a result that must be one. */
export function error<E>(result: Result<unknown, E>): E {
  if (!result.ok) return result.error;
  throw new Error(`Expected an error, got ${JSON.stringify(result.value)}`);
}

export const AT = 1_700_000_500_000;
