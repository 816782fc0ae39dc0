import { randomBytes } from 'node:crypto';
import { copyFile, lstat, mkdir, readFile, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type { CommitId, NoAnswer } from '../../ports/repository.ts';
import { refOf } from './branches.ts';
import { headOfCheckout, type Checkout, type Git } from './git.ts';
import { mayHaveLeftovers } from './leftovers.ts';
import { registerWorktree } from './register-worktree.ts';
import { errored, ioFailed } from './run.ts';
import { keepIndex } from './own-index.ts';

/** Registers a new, empty worktree; quick, because it must happen under the repository's lock. */
export async function addWorktree(
  git: Git,
  path: string,
  at: CommitId,
): Promise<Result<Checkout, NoAnswer>> {
  const { commonDir } = git.view.place;
  const made = await attempt('make a worktree', async () => {
    await mkdir(join(commonDir, 'worktrees'), { recursive: true });
    await rm(path, { recursive: true, force: true });
    await forgetWorktree(git, path);
    return registerWorktree(commonDir, path, at);
  });
  if (!made.ok) return made;
  const added = made.value === null ? await addByGit(git, path, at) : ok(made.value);
  if (!added.ok) return added;
  return attempt('point the worktree at its repository', async () => {
    await writePointer(added.value);
    return added.value;
  });
}

async function addByGit(git: Git, path: string, at: CommitId): Promise<Result<Checkout, NoAnswer>> {
  const added = await git.read(['worktree', 'add', '--no-checkout', '--detach', '--', path, at]);
  if (!added.ok) return added;
  const named = (await readFile(join(path, '.git'), 'utf8').catch(() => '')).trim();
  const id = named.split('/').at(-1) ?? '';
  return named.startsWith('gitdir: ') && id !== ''
    ? ok({ path, gitDir: join(git.view.place.commonDir, 'worktrees', id) })
    : err(errored('git_failed', 'git worktree add', `unexpected .git file: ${named}`));
}

/** Removes git's record of the worktree at a path; other people's entries are never pruned. */
export async function forgetWorktree(git: Git, path: string): Promise<void> {
  const admin = join(git.view.place.commonDir, 'worktrees');
  for (const id of await readdir(admin).catch(() => [])) {
    const named = await readFile(join(admin, id, 'gitdir'), 'utf8').catch(() => '');
    if (named.trim() === join(path, '.git')) {
      await rm(join(admin, id), { recursive: true, force: true });
    }
  }
}

export type Wanted = {
  readonly branch: string | null;
  readonly commit: CommitId;
  readonly keep: readonly string[];
  /** Nobody was there before: git's own files are all there is. */
  readonly empty: boolean;
};

/** Makes a checkout exactly what was asked for, whatever its last user left there. */
export async function restoreCheckout(
  git: Git,
  checkout: Checkout,
  wanted: Wanted,
  ownIndex: string,
): Promise<Result<void, NoAnswer>> {
  const ready = await attempt('restore a worktree', async () => {
    if (!(await lstat(checkout.path)).isDirectory()) throw new Error('not a directory any more');
    await writePointer(checkout);
    await clearProgress(checkout.gitDir);
    // Git itself moves a HEAD that is on no branch.
    if (wanted.branch !== null || !(await isDetached(checkout)))
      await writeHead(checkout, wanted.branch, wanted.commit);
    await trustedIndex(checkout, ownIndex);
  });
  if (!ready.ok) return ready;
  const inside = git.inside(checkout);
  const reset = await inside.read(['reset', '--quiet', '--hard', wanted.commit, '--']);
  if (!reset.ok) return reset;
  const index = join(checkout.gitDir, 'index');
  const { path } = checkout;
  if (!wanted.empty && mayHaveLeftovers({ path, index }, wanted.commit, wanted.keep)) {
    const kept = wanted.keep.flatMap((name) => ['-e', `/${name}`]);
    const cleaned = await inside.read(['clean', '-ffdxq', ...kept]);
    if (!cleaned.ok) return cleaned;
  }
  return attempt('keep a copy of the index', () => keepIndex(index, ownIndex, wanted.commit));
}

/** Gives the files of a commit, as they are there, to a branch. */
export async function pointHead(
  checkout: Checkout,
  branch: string | null,
  commit: CommitId,
): Promise<void> {
  if (!(await lstat(checkout.path)).isDirectory()) throw new Error('not a directory any more');
  await writePointer(checkout);
  await writeHead(checkout, branch, commit);
}

/** Leaves the branch, so that others may delete it or check it out. */
export async function detach(git: Git, checkout: Checkout): Promise<Result<void, NoAnswer>> {
  if (await isDetached(checkout)) return ok(undefined);
  const head = await headOfCheckout(git, checkout);
  // A broken HEAD is written anew by whoever uses the directory next.
  if (!head.ok) return head.error.kind === 'stopped' ? err(head.error) : ok(undefined);
  return attempt('leave the branch', () => writeHead(checkout, null, head.value));
}

export async function attempt<T>(
  what: string,
  work: () => Promise<T>,
): Promise<Result<T, NoAnswer>> {
  try {
    return ok(await work());
  } catch (cause) {
    return err(ioFailed(what, cause));
  }
}

/** Files and folders by which git remembers an unfinished operation. */
export const PROGRESS = [
  'MERGE_HEAD',
  'MERGE_MSG',
  'MERGE_MODE',
  'MERGE_RR',
  'AUTO_MERGE',
  'SQUASH_MSG',
  'CHERRY_PICK_HEAD',
  'REVERT_HEAD',
  'REBASE_HEAD',
  'rebase-merge',
  'rebase-apply',
  'sequencer',
  'BISECT_LOG',
  'BISECT_START',
];

/** Looked for by one reading of the folder: there is hardly ever one of them. */
async function clearProgress(gitDir: string): Promise<void> {
  const unwanted = [...PROGRESS, 'index.lock', 'HEAD.lock', 'config.worktree'];
  for (const name of await readdir(gitDir)) {
    if (unwanted.includes(name)) await rm(join(gitDir, name), { recursive: true, force: true });
  }
}

/** An agent's git must find the real repository, not our view of it. */
async function writePointer({ path, gitDir }: Checkout): Promise<void> {
  const file = join(path, '.git');
  const text = `gitdir: ${gitDir}\n`;
  const found = await lstat(file).catch(() => null);
  if (found?.isFile() === true && (await readFile(file, 'utf8')) === text) return;
  await rm(file, { recursive: true, force: true });
  await writeFile(file, text, { flag: 'wx' });
}

async function isDetached({ gitDir }: Checkout): Promise<boolean> {
  const head = await readFile(join(gitDir, 'HEAD'), 'utf8').catch(() => '');
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})\n$/.test(head);
}

/** HEAD is written as a file because git refuses to work at all where HEAD is damaged. */
async function writeHead(
  { gitDir }: Checkout,
  branch: string | null,
  commit: CommitId,
): Promise<void> {
  const draft = join(gitDir, `HEAD.${randomBytes(6).toString('hex')}`);
  await writeFile(draft, branch === null ? `${commit}\n` : `ref: ${refOf(branch)}\n`);
  await rename(draft, join(gitDir, 'HEAD'));
}

/**
 * Puts back the index we saved after our own checkout.
 *
 * The last user's index may claim that changed files are unchanged; ours holds the times of the
 * files as git wrote them, so every later change shows. Without a copy all files are written anew.
 */
async function trustedIndex({ gitDir }: Checkout, ownIndex: string): Promise<void> {
  const index = join(gitDir, 'index');
  await rm(index, { recursive: true, force: true });
  await copyFile(ownIndex, index).catch(() => undefined);
}
