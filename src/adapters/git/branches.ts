import { err, ok, type Result } from '../../lib/result.ts';
import type {
  BranchName,
  Branches,
  CommitId,
  InvalidName,
  Moved,
  NameTaken,
  NoAnswer,
  UnknownRevision,
} from '../../ports/repository.ts';
import { failed, isObjectId, refValue, resolveAs, unknownRevision, type Git } from './git.ts';
import { isBranchName } from './ref-name.ts';

/** Branches, moved only from where the caller saw them. */
export function branchesOf(git: Git): Branches {
  return {
    taken: (name) => taken(git, name),
    create: (name, at) => create(git, name, at),
    compareAndSwap: (name, to, from) => compareAndSwap(git, name, to, from),
    remove: (name, expected) => remove(git, name, expected),
    list: (prefix) => list(git, prefix ?? 'convoy/'),
    restore: (name, recorded) => restore(git, name, recorded),
  };
}

export const refOf = (branch: BranchName): string => `refs/heads/${branch}`;

async function taken(
  git: Git,
  name: BranchName,
): Promise<Result<BranchName | null, InvalidName | NoAnswer>> {
  if (!isBranchName(name)) return err({ kind: 'invalid_name', name });
  const parts = name.split('/');
  const ancestors = parts.map((_, at) => refOf(parts.slice(0, at + 1).join('/')));
  const listed = await git.read([
    'for-each-ref',
    '--format=%(refname)',
    ...ancestors,
    `${refOf(name)}/`,
  ]);
  if (!listed.ok) return listed;
  // A pattern also matches what lies below it, so a mere sibling must be left out.
  const blocking = listed.value
    .split('\n')
    .find((ref) => ancestors.includes(ref) || ref.startsWith(`${refOf(name)}/`));
  return ok(blocking?.slice('refs/heads/'.length) ?? null);
}

async function create(
  git: Git,
  name: BranchName,
  at: CommitId,
): Promise<Result<void, NameTaken | Moved | InvalidName | UnknownRevision | NoAnswer>> {
  const created = await compareAndSwap(git, name, at, null);
  if (created.ok || ['invalid_name', 'unknown_revision', 'stopped'].includes(created.error.kind)) {
    return created;
  }
  const by = await taken(git, name);
  if (!by.ok) return by;
  return by.value === null ? created : err({ kind: 'name_taken', name, by: by.value });
}

export async function compareAndSwap(
  git: Git,
  name: BranchName,
  to: CommitId,
  from: CommitId | null,
  because = 'convoy',
): Promise<Result<void, Moved | InvalidName | UnknownRevision | NoAnswer>> {
  if (!isBranchName(name)) return err({ kind: 'invalid_name', name });
  if (!isObjectId(to)) return err(unknownRevision(to));
  const swapped = await swapRef(git, refOf(name), to, from, because);
  if (swapped.ok || swapped.error.kind === 'stopped') return swapped;
  // Git writes nothing that is not a commit; now find out whether that was the reason.
  const commit = await resolveAs(git, to, 'commit');
  return commit.ok ? swapped : commit;
}

const nothing = (to: CommitId | null): CommitId => '0'.repeat((to ?? '').length || 40);

/** By the git that stays; null when it is nothing for it. */
async function swapByStaying(
  git: Git,
  { ref, to, from }: { ref: string; to: CommitId | null; from: CommitId },
  because: string,
): Promise<Result<void, NoAnswer> | null> {
  if (to === null || !isPlain(ref)) return null;
  const said = await git.staying.refs(because).ask({ ref, to, from });
  return said.ok ? ok(undefined) : said;
}

/** Without anything that would end a name in a line of commands. */
const isPlain = (ref: string): boolean => /^refs\/[^\s"\0]+$/.test(ref);

/** Moves any ref under compare-and-swap; `to` null deletes it. */
export async function swapRef(
  git: Git,
  ref: string,
  to: CommitId | null,
  from: CommitId | null,
  because: string,
): Promise<Result<void, Moved | NoAnswer>> {
  // An all-zero old value means that the ref must not exist.
  const old = from ?? nothing(to);
  const stayed = await swapByStaying(git, { ref, to, from: old }, because);
  if (stayed?.ok === true || stayed?.error.kind === 'stopped') return stayed;
  const now = await swapAlone(git, { ref, to, from: old }, because);
  if (!now.ok || now.value === null) return now.ok ? ok(undefined) : now;
  const { at, failure } = now.value;
  // The one that stays may have moved it, and died before it said so.
  if (stayed !== null && at === to) return ok(undefined);
  return at === from ? err(failure) : err({ kind: 'ref_moved', now: at });
}

/** By a git of its own; null when it moved, or where the ref is and why it was refused. */
async function swapAlone(
  git: Git,
  { ref, to, from }: { ref: string; to: CommitId | null; from: CommitId },
  because: string,
): Promise<Result<{ at: CommitId | null; failure: NoAnswer } | null, NoAnswer>> {
  const args =
    to === null
      ? ['update-ref', '--no-deref', '-m', because, '-d', ref, from]
      : ['update-ref', '--no-deref', '--create-reflog', '-m', because, ref, to, from];
  const done = await git.run({ args });
  if (!done.ok) return done;
  if (done.value.code === 0) return ok(null);
  const now = await refValue(git, ref);
  return now.ok ? ok({ at: now.value, failure: failed(args, done.value) }) : now;
}

async function remove(
  git: Git,
  name: BranchName,
  expected: CommitId,
): Promise<Result<void, Moved | NoAnswer>> {
  const removed = await swapRef(git, refOf(name), null, expected, 'convoy: remove');
  const gone = !removed.ok && removed.error.kind === 'ref_moved' && removed.error.now === null;
  return gone ? ok(undefined) : removed;
}

async function list(
  git: Git,
  prefix: string,
): Promise<Result<readonly { name: BranchName; commit: CommitId }[], NoAnswer>> {
  const listed = await git.read([
    'for-each-ref',
    '--format=%(objectname) %(refname)',
    'refs/heads/',
  ]);
  if (!listed.ok) return listed;
  return ok(
    listed.value
      .split('\n')
      .map((line) => /^(\S+) refs\/heads\/(.+)$/.exec(line))
      .flatMap((found) =>
        found === null ? [] : [{ name: found[2] ?? '', commit: found[1] ?? '' }],
      )
      .filter(({ name }) => name.startsWith(prefix)),
  );
}

async function restore(
  git: Git,
  name: BranchName,
  recorded: CommitId,
): Promise<
  Result<'present' | 'restored', UnknownRevision | Moved | NameTaken | InvalidName | NoAnswer>
> {
  const present = await refValue(git, refOf(name));
  if (!present.ok) return present;
  if (present.value !== null) return ok('present');
  const created = await create(git, name, recorded);
  return created.ok ? ok('restored') : created;
}
