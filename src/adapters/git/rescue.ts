import { randomBytes } from 'node:crypto';
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type {
  CommitId,
  CommitText,
  NoAnswer,
  Rescue,
  TreeId,
  Worktree,
} from '../../ports/repository.ts';
import { refOf, swapRef } from './branches.ts';
import { identityOf, writeCommit } from './commit.ts';
import { headOf, isAncestor } from './facts.ts';
import { fields, headOfCheckout, resolveAs, type Git } from './git.ts';
import { clearAbandonedIndexLock } from './index-lock.ts';
import { isUntouched } from './own-index.ts';
import { errored } from './run.ts';
import { openMerge } from './start-merge.ts';
import { readPlainIndex, storeTree } from './tree-writer.ts';
import { unfinishedIn } from './work-state.ts';

/**
 * Commits everything uncommitted in a worktree, in whatever state its last user left it.
 *
 * The files are read into an index of our own, built from HEAD: a locked, conflicted or lying index
 * in the worktree cannot hide work. No porcelain is used, because `git add` and `git status` run git
 * inside nested repositories, with their configuration. `known` is the index that we saved after our own
 * checkout; with its times git need not read files that nobody touched.
 */
export async function rescue(
  git: Git,
  worktree: Worktree,
  text: CommitText,
  { concludeMerge = false, leaving = false }: { concludeMerge?: boolean; leaving?: boolean } = {},
  known?: string,
): Promise<Result<Rescue, NoAnswer>> {
  const index = join(git.view.place.commonDir, `convoy-rescue-${randomBytes(6).toString('hex')}`);
  try {
    const inside = git.inside(worktree);
    const head = await headOfCheckout(git, worktree);
    if (!head.ok) return err(headless(head.error));
    const before = await resolveAs(git, head.value, 'tree');
    if (!before.ok) return err(headless(before.error));
    const untouched = await isUntouched(worktree.gitDir, known, head.value);
    await copyFile(known ?? '', index).catch(() => undefined);
    const at = { commit: head.value, tree: before.value };
    const gathered = await gather(inside, at, index, untouched);
    if (!gathered.ok) return gathered;
    const merged = concludeMerge ? await openMerge(worktree.gitDir) : [];
    if (gathered.value.tree === before.value && merged.length === 0)
      return await settle(git, worktree, head.value);
    const parents = [head.value, ...merged];
    return await save(git, worktree, { ...gathered.value, parents, text }, leaving);
  } finally {
    await rm(index, { force: true });
    await rm(`${index}.lock`, { force: true });
  }
}

async function save(
  git: Git,
  worktree: Worktree,
  { skipped, ...content }: Parameters<typeof writeCommit>[1] & { skipped: string[] },
  leaving: boolean,
): Promise<Result<Rescue, NoAnswer>> {
  const identity = await identityOf(git);
  if (!identity.ok) return identity;
  const commit = await writeCommit(git, content, identity.value);
  if (!commit.ok) return commit;
  const state = (await unfinishedIn(worktree.gitDir)) ?? 'dirty';
  const ref = await keep(git, worktree, commit.value);
  if (!ref.ok) return ref;
  if (!leaving) await refreshIndex(git.inside(worktree), worktree, ref.value);
  if (content.parents.length > 1) await rm(join(worktree.gitDir, 'MERGE_HEAD'), { force: true });
  return ok({ saved: true, commit: commit.value, ref: ref.value, state, skipped });
}

function headless(error: NoAnswer | { kind: 'unknown_revision' }): NoAnswer {
  return error.kind === 'unknown_revision'
    ? errored('git_failed', 'rescue', 'the worktree has no HEAD commit')
    : error;
}

async function gather(
  git: Git,
  head: { commit: CommitId; tree: TreeId },
  index: string,
  untouched: boolean,
): Promise<Result<{ tree: TreeId; skipped: string[] }, NoAnswer>> {
  const env = { GIT_INDEX_FILE: index };
  // Where nobody staged or committed anything, our index is HEAD's already.
  const [changed, forced] = await Promise.all([
    changedFiles(git, untouched ? null : head.commit, env),
    untouched ? [] : forciblyAdded(git, head.commit),
  ]);
  if (!changed.ok) return changed;
  const paths = [...new Set([...changed.value, ...forced])];
  // A trailing slash marks a repository inside the worktree.
  const skipped = paths.filter((path) => path.endsWith('/'));
  const files = paths.filter((path) => !path.endsWith('/'));
  if (files.length === 0) return ok({ tree: head.tree, skipped });
  const before = readPlainIndex(index, head.commit);
  const added = await git.read(
    ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'],
    { env, input: files.map((path) => `${path}\0`).join('') },
  );
  if (!added.ok) return added;
  const after = before === null ? null : readPlainIndex(index, head.commit);
  const stored =
    before === null || after === null ? null : storeTree(git.view, head.tree, before, after);
  if (stored !== null) return ok({ tree: stored, skipped });
  const tree = await git.read(['write-tree'], { env });
  return tree.ok ? ok({ tree: tree.value.trim(), skipped }) : tree;
}

/** Whatever an index shows that holds HEAD and nothing else: changed, deleted and new files. */
async function changedFiles(
  git: Git,
  head: CommitId | null,
  env: Record<string, string>,
): Promise<Result<string[], NoAnswer>> {
  const read = head === null ? ok('') : await git.read(['read-tree', '--reset', head], { env });
  if (!read.ok) return read;
  const args = ['ls-files', '-z', '--modified', '--deleted', '--others', '--exclude-standard'];
  const listed = await git.read(args, { env });
  return listed.ok ? ok(fields(listed.value)) : listed;
}

/** Ignored files that were staged on purpose; an unreadable index has none. */
async function forciblyAdded(git: Git, head: CommitId): Promise<string[]> {
  const args = ['diff-index', '--cached', '--name-only', '-z', '--diff-filter=A', '--no-renames'];
  const staged = await git.read([...args, '--ignore-submodules=all', head, '--']);
  return staged.ok ? fields(staged.value) : [];
}

/** Moves the attempt's branch if that loses nothing, else keeps the commit under a ref of its own. */
async function keep(
  git: Git,
  { branch }: Worktree,
  commit: CommitId,
): Promise<Result<string, NoAnswer>> {
  if (branch !== null) {
    const head = await headOf(git, branch);
    if (!head.ok) return head;
    const ahead = head.value === null ? ok(true) : await isAncestor(git, head.value, commit);
    if (ahead.ok && ahead.value) {
      const moved = await swapRef(git, refOf(branch), commit, head.value, 'convoy: wip');
      if (moved.ok) return ok(refOf(branch));
      if (moved.error.kind !== 'ref_moved') return err(moved.error);
    }
  }
  const ref = `refs/convoy/rescued/${commit}`;
  const kept = await swapRef(git, ref, commit, null, 'convoy: wip');
  if (kept.ok) return ok(ref);
  // The same commit was rescued before.
  if (kept.error.kind === 'ref_moved') return ok(ref);
  return err(kept.error);
}

/** Nothing to commit, but commits made on a detached HEAD or another branch must not be lost. */
async function settle(
  git: Git,
  worktree: Worktree,
  head: CommitId,
): Promise<Result<Rescue, NoAnswer>> {
  if (worktree.branch === null) return ok({ saved: false, head });
  const at = await headOf(git, worktree.branch);
  if (!at.ok) return at;
  const inside = at.value === null ? ok(false) : await isAncestor(git, head, at.value);
  if (inside.ok && inside.value) return ok({ saved: false, head });
  const ref = await keep(git, worktree, head);
  if (!ref.ok) return ref;
  const state = (await unfinishedIn(worktree.gitDir)) ?? 'clean';
  return ok({ saved: true, commit: head, ref: ref.value, state, skipped: [] });
}

/** Shows the worktree as clean afterwards; a convenience, so a lock that is really held is respected. */
async function refreshIndex(git: Git, worktree: Worktree, ref: string): Promise<void> {
  if (worktree.branch === null || ref !== refOf(worktree.branch)) return;
  if ((await clearAbandonedIndexLock(worktree)) === 'held') return;
  await git.run({ args: ['read-tree', '--reset', 'HEAD'] });
}
