import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** The git side of a repository on the fake: a bare repository that really has the branches. */
export type Bare = {
  readonly path: string;
  readonly git: (...args: string[]) => string;
  readonly head: (branch: string) => string | null;
  /** Whether merging would be clean, and the tree it gives. */
  readonly merged: (base: string, head: string) => { readonly tree: string | null };
};

const ENV = {
  GIT_AUTHOR_NAME: 'GitHub',
  GIT_AUTHOR_EMAIL: 'noreply@github.example',
  GIT_COMMITTER_NAME: 'GitHub',
  GIT_COMMITTER_EMAIL: 'noreply@github.example',
};

export function makeBare(root: string, slug: string): Bare {
  const path = join(root, `${slug}.git`);
  mkdirSync(dirname(path), { recursive: true });
  const env = { PATH: process.env['PATH'], HOME: root, GIT_CONFIG_NOSYSTEM: '1', ...ENV };
  const run = (args: readonly string[], cwd: string): string =>
    execFileSync('git', args, { cwd, env, encoding: 'utf8', stdio: 'pipe' }).trim();
  run(['init', '--quiet', '--bare', '-b', 'main', path], root);
  run(['config', 'http.receivepack', 'true'], path);
  const git = (...args: string[]): string => run(args, path);
  const tried = (...args: string[]): string | null => {
    try {
      return git(...args);
    } catch {
      return null;
    }
  };
  return {
    path,
    git,
    head: (branch) => tried('rev-parse', '--verify', '--quiet', `refs/heads/${branch}`),
    merged: (base, head) => ({
      tree: tried('merge-tree', '--write-tree', base, head)?.split('\n')[0] ?? null,
    }),
  };
}

export type Method = 'merge' | 'squash' | 'rebase';

/** Puts a pull request's work on its base, as GitHub does; the new head of the base. */
export function mergeInto(
  bare: Bare,
  base: string,
  head: string,
  method: Method,
  message: string,
): string | null {
  const onto = bare.head(base);
  const { tree } = onto === null ? { tree: null } : bare.merged(onto, head);
  if (onto === null || tree === null) return null;
  const commit =
    method === 'rebase'
      ? replayed(bare, onto, head)
      : committed(bare, { tree, onto, head, method, message });
  bare.git('update-ref', `refs/heads/${base}`, commit, onto);
  return commit;
}

function committed(
  bare: Bare,
  {
    tree,
    onto,
    head,
    method,
    message,
  }: { tree: string; onto: string; head: string; method: Method; message: string },
): string {
  const parents = method === 'merge' ? ['-p', onto, '-p', head] : ['-p', onto];
  return bare.git('commit-tree', tree, ...parents, '-m', message);
}

/** Every commit again on top of the base, merges left out. */
function replayed(bare: Bare, onto: string, head: string): string {
  const commits = bare.git('rev-list', '--reverse', '--no-merges', `${onto}..${head}`).split('\n');
  let tip = onto;
  for (const commit of commits.filter((each) => each !== '')) {
    const fake = bare.git('commit-tree', `${tip}^{tree}`, '-p', `${commit}^`, '-m', 'ours');
    const { tree } = bare.merged(fake, commit);
    if (tree === null) throw new Error(`${commit} does not rebase`);
    const message = bare.git('log', '-1', '--format=%B', commit);
    tip = bare.git('commit-tree', tree, '-p', tip, '-m', message);
  }
  return tip;
}
