import { createHash } from 'node:crypto';
import { err, ok, type Result } from '../../lib/result.ts';
import type {
  BranchName,
  BranchUpdate,
  CommitId,
  InvalidUrl,
  NoAnswer,
  Push,
  PushRejected,
  Remote,
  UnknownRevision,
  Updated,
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
    list: (url, prefix) => list(git, url, prefix),
    fetch: (url, branch) => fetch(git, url, branch),
    push: (push) => pushForward(git, push),
    pushAll: (url, updates) => pushAll(git, url, updates),
    remove: (url, branch, expected) => send(git, url, branch, NOTHING, expected),
  };
}

/** Pushing nothing to a branch deletes it. */
const NOTHING = '';
const NETWORK_MS = 10 * 60_000;
/** A question moves no objects: who has not answered by then will not. */
const QUESTION_MS = 15_000;

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

async function list(git: Git, url: string, prefix: string): ReturnType<Remote['list']> {
  const transport = transportOf(url);
  if (transport === null) return err({ kind: 'invalid_url', url });
  const args = ['ls-remote', '--refs', '--', url, `${refOf(prefix)}*`];
  const done = await git.run({ args, transport, timeoutMs: QUESTION_MS });
  if (!done.ok) return done;
  if (done.value.code !== 0) return err(unreachableRemote(args, done.value));
  return ok(
    done.value.stdout
      .toString('utf8')
      .split('\n')
      .map((line) => line.split('\t'))
      // The pattern may match the end of other names.
      .flatMap(([commit = '', ref = '']) =>
        ref.startsWith(refOf(prefix)) ? [{ name: ref.slice(refOf('').length), commit }] : [],
      ),
  );
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
  const mayRewrite = rewrite === true && branch.startsWith('convoy/');
  const checked = await forward(git, { branch, commit, expected }, mayRewrite);
  return checked.ok ? send(git, url, branch, checked.value, expected) : checked;
}

/** The commit to send, if it follows what is there. */
async function forward(
  git: Git,
  { commit, expected }: BranchUpdate,
  mayRewrite = false,
): Promise<Result<string, PushRejected | UnknownRevision | NoAnswer>> {
  if (commit === null) return ok(NOTHING);
  const known = await resolveAs(git, commit, 'commit');
  if (!known.ok || expected === null || mayRewrite) return known;
  const follows = await isAncestor(git, expected, known.value);
  if (!follows.ok) return follows;
  const detail = `${commit} does not follow ${expected}`;
  return follows.value ? known : err({ kind: 'push_rejected', reason: 'not_fast_forward', detail });
}

async function send(
  git: Git,
  url: string,
  branch: BranchName,
  commit: string,
  expected: CommitId | null,
): Promise<Result<void, PushRejected | InvalidUrl | NoAnswer>> {
  const sent = await sendAll(git, url, [{ branch, commit, expected }]);
  return sent.ok ? (sent.value[0] ?? ok(undefined)) : sent;
}

async function pushAll(
  git: Git,
  url: string,
  updates: readonly BranchUpdate[],
): Promise<Result<readonly Updated[], InvalidUrl | NoAnswer>> {
  const answers: (Updated | null)[] = [];
  const good: Sending[] = [];
  for (const update of updates) {
    const { branch, expected } = update;
    const checked = await forward(git, update);
    if (checked.ok) {
      good.push({ branch, commit: checked.value, expected });
      answers.push(null);
    } else if (checked.error.kind === 'errored' || checked.error.kind === 'stopped')
      return err(checked.error);
    else answers.push(err(checked.error));
  }
  const sent = good.length === 0 ? ok([]) : await sendAll(git, url, good);
  if (!sent.ok) return sent;
  const said = sent.value.values();
  return ok(answers.map((answer) => answer ?? said.next().value ?? ok(undefined)));
}

type Sending = Pick<BranchUpdate, 'branch' | 'expected'> & { readonly commit: string };

async function sendAll(
  git: Git,
  url: string,
  updates: readonly Sending[],
): Promise<Result<readonly Result<void, PushRejected>[], InvalidUrl | NoAnswer>> {
  const transport = transportOf(url);
  if (transport === null) return err({ kind: 'invalid_url', url });
  const args = [
    'push',
    '--porcelain',
    '--no-verify',
    '--no-follow-tags',
    '--no-signed',
    '--recurse-submodules=no',
    ...updates.map(
      ({ branch, expected }) => `--force-with-lease=${refOf(branch)}:${expected ?? ''}`,
    ),
    '--',
    url,
    ...updates.map(({ branch, commit }) => `${commit}:${refOf(branch)}`),
  ];
  const done = await git.run({ args, transport, timeoutMs: NETWORK_MS });
  if (!done.ok) return done;
  if (done.value.code === 0) return ok(updates.map(() => ok(undefined)));
  const answers = updates.map(({ branch }) => answerIn(done.value, branch));
  // A connection that broke says nothing about some branch; then nothing is known of any.
  const known = answers.flatMap((answer) => answer ?? []);
  return known.length === updates.length ? ok(known) : err(unreachableRemote(args, done.value));
}

function answerIn({ stdout }: GitOutput, branch: BranchName): Result<void, PushRejected> | null {
  const line = stdout
    .toString('utf8')
    .split('\n')
    .find((each) => each.split('\t')[1]?.endsWith(`:${refOf(branch)}`) === true);
  if (line === undefined) return null;
  const rejected = rejectionIn(line);
  return rejected === null ? ok(undefined) : err(rejected);
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
