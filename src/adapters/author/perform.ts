import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  carriesNothing,
  fixMessage,
  oneLine,
  type CarryPlan,
} from '../../domain/ship/author/carry.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type {
  Authored,
  AuthorPlace,
  AuthorRefusal,
  AuthorRequest,
  GitRunner,
  PlannedFile,
} from '../../ports/author.ts';
import type {
  BranchDiverged,
  CommitId,
  InvalidName,
  NameTaken,
  NoAnswer,
  UnknownRevision,
} from '../../ports/repository.ts';
import { agreedFiles } from './agree.ts';
import { branchOf, lookAtBranch, moveBranch, notOurs, type SeenBranch } from './branch.ts';
import { collectCarry, touchedPaths, treeWith } from './carry-over.ts';
import {
  commitOf,
  commitTree,
  fields,
  identityOf,
  ioFailed,
  read,
  writeTree,
  type Identity,
} from './git-steps.ts';

type Step<T> = Promise<Result<T, AuthorRefusal | NoAnswer>>;

/**
 * Puts the shown files on the plan's branch.
 *
 * Everything that can be refused is refused before git is told anything. Commits are made in an
 * index of our own and nothing points at them until the last step moves the branch, so a failure
 * anywhere leaves the user's checkout, index, stash and branches as they were.
 */
export async function perform(place: AuthorPlace, request: AuthorRequest): Step<Authored> {
  const branch = branchOf(request.planId);
  if (branch === null) return err({ kind: 'bad_plan_id', planId: request.planId });
  const files = await agreedFiles(place, request);
  if (!files.ok) return files;
  const base = await commitOf(place.git, request.base);
  if (!base.ok) return base;
  if (base.value !== request.base) return err({ kind: 'unknown_base', base: request.base });
  const carry = await stillAsShown(place, request);
  if (!carry.ok) return carry;
  const seen = await lookAtBranch(place, branch);
  if (!seen.ok) return seen;
  const taken = notOurs(branch, seen.value, request.expected);
  if (taken !== null) return err(taken);
  const room = join(place.scratch, `author-${randomBytes(6).toString('hex')}`);
  try {
    await mkdir(room, { recursive: true });
    return await inRoom(place, request, {
      branch,
      seen: seen.value,
      files: files.value,
      carry: carry.value,
      room,
    });
  } catch (cause) {
    return err(ioFailed('author deployment files', cause));
  } finally {
    await rm(room, { recursive: true, force: true });
  }
}

type Work = {
  readonly branch: string;
  readonly seen: SeenBranch;
  readonly files: readonly PlannedFile[];
  readonly carry: CarryPlan | null;
  readonly room: string;
};

async function inRoom(place: AuthorPlace, request: AuthorRequest, work: Work): Step<Authored> {
  const identity = await identityOf(place.git);
  if (!identity.ok) return identity;
  const fix = await fixCommit(place, request, work, identity.value);
  if (!fix.ok) return fix;
  const parent = fix.value ?? request.base;
  const commit = await filesCommit(place, request, work, parent, identity.value);
  if (!commit.ok) return commit;
  const owner = `author-${request.planId}-${commit.value.slice(0, 12)}`;
  const worktree = await checkOut(place, owner, commit.value, work.files);
  if (!worktree.ok) return worktree;
  const moved = await moveBranch(place, work.branch, commit.value, request.expected, work.seen);
  if (!moved.ok) {
    await place.worktrees.release(owner);
    return moved;
  }
  return ok({
    branch: work.branch,
    commit: commit.value,
    fixCommit: fix.value,
    worktree: worktree.value,
    owner,
    written: work.files.map(({ path }) => path),
    carried: work.carry?.files.map(({ path }) => path) ?? [],
  });
}

/** The approval was for these bytes; if a file changed since, it has to be shown again. */
async function stillAsShown(place: AuthorPlace, request: AuthorRequest): Step<CarryPlan | null> {
  const shown = request.carry?.plan;
  if (shown === undefined || carriesNothing(shown)) return ok(null);
  const head = await commitOf(place.git, 'HEAD');
  if (!head.ok) return head;
  // Against another commit the same working tree is another change.
  if (head.value !== request.base)
    return err({ kind: 'changed_since_shown', paths: touchedPaths(shown) });
  const now = await collectCarry(place, request.base);
  if (!now.ok) return now;
  if (shown.base === request.base && now.value.tree === shown.tree) return ok(now.value);
  return err({ kind: 'changed_since_shown', paths: differing(shown, now.value) });
}

function differing(shown: CarryPlan, now: CarryPlan): readonly string[] {
  const paths = new Set([...touchedPaths(shown), ...touchedPaths(now)]);
  const known = [...paths].filter((path) => text(shown, path) !== text(now, path));
  return known.length > 0 ? known.toSorted() : [...paths].toSorted();
}

const text = (plan: CarryPlan, path: string): string | undefined =>
  plan.files.find((file) => file.path === path)?.diff;

async function fixCommit(
  place: AuthorPlace,
  request: AuthorRequest,
  { carry, room }: Work,
  identity: Identity,
): Step<CommitId | null> {
  if (carry === null) return ok(null);
  const env = { GIT_INDEX_FILE: join(room, 'fix') };
  const tree = await treeWith(place.git, request.base, touchedPaths(carry), env);
  if (!tree.ok) return tree;
  // A file may have been saved in the moment between looking and reading.
  if (tree.value !== carry.tree)
    return err({ kind: 'changed_since_shown', paths: touchedPaths(carry) });
  const message = fixMessage(request.carry?.subject ?? '', carry);
  return commitTree(
    place.git,
    { tree: tree.value, parent: request.base, message, at: request.at },
    identity,
  );
}

async function filesCommit(
  place: AuthorPlace,
  request: AuthorRequest,
  { files, room }: Work,
  parent: CommitId,
  identity: Identity,
): Step<CommitId> {
  if (files.length === 0) return ok(parent);
  const { git } = place;
  const env = { GIT_INDEX_FILE: join(room, 'files') };
  const started = await read(git, { args: ['read-tree', parent], env });
  if (!started.ok) return started;
  const blobs = await storeBlobs(git, room, files);
  if (!blobs.ok) return blobs;
  const rows = files.map(({ path }, at) => `100644 ${blobs.value[at]}\t${path}\0`);
  const args = ['update-index', '-z', '--index-info'];
  const added = await read(git, { args, env, input: rows.join('') });
  if (!added.ok) return added;
  const tree = await writeTree(git, env);
  if (!tree.ok) return tree;
  const message = filesMessage(request.planId, files);
  const content = { tree: tree.value, parent, message, at: request.at };
  const commit = await commitTree(git, content, identity);
  if (!commit.ok) return commit;
  const honest = await onlyThese(place, parent, commit.value, files);
  return honest.ok ? commit : honest;
}

/** Puts contents into the object store as they are; git converts nothing on the way. */
async function storeBlobs(
  git: GitRunner,
  room: string,
  files: readonly PlannedFile[],
): Step<readonly string[]> {
  const drafts = files.map((_, at) => join(room, `draft-${at}`));
  for (const [at, { content }] of files.entries())
    await writeFile(join(room, `draft-${at}`), content);
  const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
  const stored = await read(git, { args, input: drafts.map((draft) => `${draft}\n`).join('') });
  if (!stored.ok) return stored;
  const blobs = stored.value.trim().split('\n');
  return blobs.length === files.length
    ? ok(blobs)
    : err(ioFailed('store the files', 'git did not name every object'));
}

/** The last look before anything points at the commit: exactly the shown paths and nothing else. */
async function onlyThese(
  { git }: AuthorPlace,
  parent: CommitId,
  commit: CommitId,
  files: readonly PlannedFile[],
): Step<void> {
  const args = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', parent, commit, '--'];
  const changed = await read(git, { args });
  if (!changed.ok) return changed;
  const known = new Set(files.map(({ path }) => path));
  const stray = fields(changed.value).find((path) => !known.has(path));
  return stray === undefined
    ? ok(undefined)
    : err({ kind: 'not_owned', path: stray, reason: 'not part of the plan' });
}

/** A checkout of its own to build and deploy from, holding the shown bytes. */
async function checkOut(
  { worktrees }: AuthorPlace,
  owner: string,
  commit: CommitId,
  files: readonly PlannedFile[],
): Step<string> {
  const lent = await worktrees.acquire({
    owner,
    purpose: 'verify',
    branch: null,
    startPoint: commit,
  });
  if (!lent.ok) return err(noCheckout(lent.error));
  for (const { path, content } of files) {
    const found = await readFile(join(lent.value.path, path), 'utf8').catch(() => null);
    // Line ends may be converted on checkout; anything else is not what was shown.
    if (found?.replaceAll('\r\n', '\n') === content) continue;
    await worktrees.release(owner);
    return err(ioFailed('check out the branch', `${path} is not what was written`));
  }
  return ok(lent.value.path);
}

function noCheckout(
  error: NoAnswer | UnknownRevision | InvalidName | NameTaken | BranchDiverged,
): NoAnswer {
  return error.kind === 'errored' || error.kind === 'stopped'
    ? error
    : ioFailed('check out the branch', error.kind);
}

function filesMessage(planId: string, files: readonly PlannedFile[]): string {
  const lanes = [...new Set(files.flatMap(({ lane }) => (lane === null ? [] : [lane])))];
  const what = lanes.length === 1 ? `the lane ${oneLine(lanes[0] ?? '')}` : `${lanes.length} lanes`;
  const rows = files.map(({ path, action }) => `- ${action} ${path}`);
  return `deploy: add Convoy's files for ${lanes.length === 0 ? 'this repository' : what}\n\nPlan ${planId}.\n${rows.join('\n')}\n`;
}
