import { err, ok, type Result } from '../../lib/result.ts';
import type { GitAnswer, GitRunner, GitStep } from '../../ports/author.ts';
import type { CommitId, NoAnswer, TreeId } from '../../ports/repository.ts';

type Told<T> = Promise<Result<T, NoAnswer>>;

/** Standard output of a step that must succeed. */
export async function read(git: GitRunner, step: GitStep): Told<string> {
  const bytes = await readBytes(git, step);
  return bytes.ok ? ok(bytes.value.toString('utf8')) : bytes;
}

export async function readBytes(git: GitRunner, step: GitStep): Told<Buffer> {
  const done = await git(step);
  if (!done.ok) return done;
  return done.value.code === 0 || done.value.truncated
    ? ok(done.value.stdout)
    : err(gitFailed(step, done.value));
}

export function gitFailed(step: GitStep, answer: GitAnswer): NoAnswer {
  const verb = step.args.find((arg) => !arg.startsWith('-')) ?? '';
  const busy = /\.lock': File exists|Unable to create .*\.lock|cannot lock ref/.test(answer.stderr);
  return {
    kind: 'errored',
    reason: busy ? 'busy' : 'git_failed',
    what: `git ${verb}`,
    detail: `exit ${answer.code}: ${answer.stderr.trim().slice(0, 2_000)}`,
  };
}

export const ioFailed = (what: string, cause: unknown): NoAnswer => ({
  kind: 'errored',
  reason: 'io',
  what,
  detail: cause instanceof Error ? cause.message : String(cause),
});

/** The commit a revision means, or null when there is none. */
export async function commitOf(git: GitRunner, revision: string): Told<CommitId | null> {
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  const done = await git({ args });
  if (!done.ok) return done;
  // Any other code than "no" means that git could not look.
  if (done.value.code > 1) return err(gitFailed({ args }, done.value));
  return ok(done.value.code === 0 ? done.value.stdout.toString('utf8').trim() : null);
}

export async function writeTree(
  git: GitRunner,
  env: Readonly<Record<string, string>>,
): Told<TreeId> {
  const tree = await read(git, { args: ['write-tree'], env });
  return tree.ok ? ok(tree.value.trim()) : tree;
}

/** Makes a commit object; the same arguments always make the same commit. */
export async function commitTree(
  git: GitRunner,
  content: { tree: TreeId; parent: CommitId; message: string; at: number },
  identity: Identity,
): Told<CommitId> {
  const date = `@${Math.floor(content.at / 1000)} +0000`;
  const made = await read(git, {
    args: ['commit-tree', content.tree, '-p', content.parent, '-F', '-'],
    input: content.message,
    env: {
      GIT_AUTHOR_NAME: identity.name,
      GIT_AUTHOR_EMAIL: identity.email,
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_NAME: identity.name,
      GIT_COMMITTER_EMAIL: identity.email,
      GIT_COMMITTER_DATE: date,
    },
  });
  return made.ok ? ok(made.value.trim()) : made;
}

export type Identity = { readonly name: string; readonly email: string };

/** The user's own identity where git knows one, otherwise Convoy's. */
export async function identityOf(git: GitRunner): Told<Identity> {
  const name = await setting(git, 'user.name');
  if (!name.ok) return name;
  const email = await setting(git, 'user.email');
  if (!email.ok) return email;
  return ok(
    usable(name.value) && usable(email.value)
      ? { name: name.value, email: email.value }
      : { name: 'Convoy', email: 'convoy@localhost' },
  );
}

async function setting(git: GitRunner, key: string): Told<string> {
  const args = ['config', '--get', key];
  const done = await git({ args });
  if (!done.ok) return done;
  if (done.value.code > 1) return err(gitFailed({ args }, done.value));
  return ok(done.value.stdout.toString('utf8').replace(/\n$/, ''));
}

/** Git drops these characters from names; what is left must not be empty. */
const usable = (text: string): boolean =>
  !/[<>\n\0]/.test(text) && text.replace(/[.,:;"'\\\s]/g, '') !== '';

/** Fields of a `-z` answer. */
export const fields = (text: string): readonly string[] =>
  text.split('\0').filter((field) => field !== '');
