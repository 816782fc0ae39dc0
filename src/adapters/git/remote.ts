import { createHash } from 'node:crypto';
import { err, ok, type Result } from '../../lib/result.ts';
import type {
  BranchName,
  CommitId,
  InvalidUrl,
  NoAnswer,
  Push,
  PushRejected,
  Remote,
  UnknownRevision,
} from '../../ports/repository.ts';
import { refOf } from './branches.ts';
import { isAncestor } from './facts.ts';
import { failed, refValue, resolveAs, type Git } from './git.ts';
import { errored, type GitOutput } from './run.ts';

/**
 * Talks to other copies of the repository.
 *
 * URLs are arguments, never read from the repository's config: whoever can write there could make us
 * push to a repository whose hooks are theirs.
 */
export function remoteOf(git: Git): Remote {
  return {
    head: (url, branch) => remoteHead(git, url, branch),
    fetch: (url, branch) => fetch(git, url, branch),
    push: (push) => pushForward(git, push),
    remove: (url, branch, expected) => send(git, url, branch, NOTHING, expected),
  };
}

/** Pushing nothing to a branch deletes it. */
const NOTHING = '';
const NETWORK_MS = 10 * 60_000;

async function remoteHead(
  git: Git,
  url: string,
  branch: BranchName,
): Promise<Result<CommitId | null, InvalidUrl | NoAnswer>> {
  const transport = transportOf(url);
  if (transport === null) return err({ kind: 'invalid_url', url });
  const args = ['ls-remote', '--refs', '--', url, refOf(branch)];
  const done = await git.run({ args, transport, timeoutMs: NETWORK_MS });
  if (!done.ok) return done;
  if (done.value.code !== 0) return err(unreachableRemote(args, done.value));
  // The pattern also matches the end of longer names.
  const line = done.value.stdout
    .toString('utf8')
    .split('\n')
    .find((each) => each.endsWith(`\t${refOf(branch)}`));
  return ok(line?.split('\t')[0] ?? null);
}

async function fetch(
  git: Git,
  url: string,
  branch: BranchName,
): Promise<Result<CommitId | null, InvalidUrl | NoAnswer>> {
  const transport = transportOf(url);
  if (transport === null) return err({ kind: 'invalid_url', url });
  const kept = fetchedRef(url, branch);
  const args = [
    'fetch',
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    '--no-auto-maintenance',
    '--',
    url,
    `+${refOf(branch)}:${kept}`,
  ];
  const done = await git.run({ args, transport, timeoutMs: NETWORK_MS });
  if (!done.ok) return done;
  if (done.value.code === 0) return refValue(git, kept);
  return done.value.stderr.includes("couldn't find remote ref")
    ? ok(null)
    : err(unreachableRemote(args, done.value));
}

/** Flat, so that a branch `a/b` finds room where `a` was yesterday. */
function fetchedRef(url: string, branch: BranchName): string {
  const name = createHash('sha256').update(`${url}\0${branch}`).digest('hex');
  return `refs/convoy/fetched/${name.slice(0, 32)}`;
}

/**
 * The lease names where the branch must be, and the new commit must follow it. Only a branch that
 * Convoy made may be rewritten, and only from what the caller has seen there.
 */
async function pushForward(
  git: Git,
  { url, branch, commit, expected, rewrite }: Push,
): Promise<Result<void, PushRejected | InvalidUrl | UnknownRevision | NoAnswer>> {
  const known = await resolveAs(git, commit, 'commit');
  if (!known.ok) return known;
  if (expected !== null && !(rewrite === true && branch.startsWith('convoy/'))) {
    const forward = await isAncestor(git, expected, known.value);
    if (!forward.ok) return forward;
    if (!forward.value) {
      const detail = `${commit} does not follow ${expected}`;
      return err({ kind: 'push_rejected', reason: 'not_fast_forward', detail });
    }
  }
  return send(git, url, branch, known.value, expected);
}

async function send(
  git: Git,
  url: string,
  branch: BranchName,
  commit: string,
  expected: CommitId | null,
): Promise<Result<void, PushRejected | InvalidUrl | NoAnswer>> {
  const transport = transportOf(url);
  if (transport === null) return err({ kind: 'invalid_url', url });
  const args = [
    'push',
    '--porcelain',
    '--no-verify',
    '--no-follow-tags',
    '--no-signed',
    '--recurse-submodules=no',
    `--force-with-lease=${refOf(branch)}:${expected ?? ''}`,
    '--',
    url,
    `${commit}:${refOf(branch)}`,
  ];
  const done = await git.run({ args, transport, timeoutMs: NETWORK_MS });
  if (!done.ok) return done;
  if (done.value.code === 0) return ok(undefined);
  const rejected = rejectionIn(done.value.stdout.toString('utf8'));
  return err(rejected ?? unreachableRemote(args, done.value));
}

/** Porcelain lines are flag, from:to and summary, separated by tabs; `!` flags a refusal. */
export function rejectionIn(porcelain: string): PushRejected | null {
  const line = porcelain.split('\n').find((each) => each.startsWith('!\t'));
  if (line === undefined) return null;
  const detail = line.split('\t').slice(2).join(' ').trim();
  if (/stale info/.test(detail)) return { kind: 'push_rejected', reason: 'stale', detail };
  if (/non-fast-forward|fetch first/.test(detail)) {
    return { kind: 'push_rejected', reason: 'not_fast_forward', detail };
  }
  // The ref changed between the remote's advertisement and its update.
  if (/failed to update ref|cannot lock ref|incorrect old value/.test(detail)) {
    return { kind: 'push_rejected', reason: 'stale', detail };
  }
  return { kind: 'push_rejected', reason: 'refused_by_remote', detail };
}

function unreachableRemote(args: readonly string[], output: GitOutput): NoAnswer {
  const other = failed(args, output);
  return other.kind === 'errored' && other.reason === 'git_failed'
    ? errored('remote_down', other.what, withoutPassword(other.detail))
    : other;
}

/** Git repeats the URL in its complaints, with whatever secret is in it. */
const withoutPassword = (text: string): string => text.replace(/:\/\/[^/\s@]+@/g, '://');

/** The kinds of address we speak; null for helpers such as `ext::` that would run a command. */
function transportOf(url: string): 'remote' | 'local' | null {
  if (url.startsWith('-') || /[\0\n]/.test(url) || url === '') return null;
  if (/^(https?|ssh|git):\/\//.test(url)) return 'remote';
  if (url.startsWith('file://') || url.startsWith('/')) return 'local';
  // user@host:path, as ssh is often written.
  return /^[^/:\s-][^/:\s]*:(?!:)/.test(url) && !/^[a-z]+:\/\//.test(url) ? 'remote' : null;
}
