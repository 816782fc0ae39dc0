import { err, ok, type Result } from '../../lib/result.ts';
import type { CommitId, CommitText, NoAnswer, TreeId } from '../../ports/repository.ts';
import { failed, fields, type Git } from './git.ts';
import { rememberTree } from './known-trees.ts';
import { storeObject } from './object-writer.ts';
import type { View } from './view.ts';

export type Identity = { readonly name: string; readonly email: string };

/** Makes a commit object; the same arguments always make the same commit. */
export async function writeCommit(
  git: Git,
  content: { tree: TreeId; parents: readonly CommitId[]; text: CommitText },
  identity: Identity,
): Promise<Result<CommitId, NoAnswer>> {
  const text = commitText(content, identity);
  const id = text === null ? null : storeCommit(git.view, content.tree, Buffer.from(text));
  if (id !== null) {
    rememberTree(git.view, id, content.tree);
    return ok(id);
  }
  const parents = content.parents.flatMap((parent) => ['-p', parent]);
  const made = await git.read(['commit-tree', content.tree, ...parents, '-F', '-'], {
    input: content.text.message,
    env: identityEnvironment(identity, content.text.at),
  });
  return made.ok ? ok(made.value.trim()) : made;
}

/** What `git commit-tree` would store, or null when it would refuse and should say why. */
function commitText(
  { tree, parents, text }: Parameters<typeof writeCommit>[1],
  identity: Identity,
): string | null {
  const [name, email] = [plain(identity.name), plain(identity.email)];
  if (name === '' || text.message.includes('\0')) return null;
  const by = `${name} <${email}> ${seconds(text.at)} +0000`;
  return [
    `tree ${tree}`,
    ...[...new Set(parents)].map((parent) => `parent ${parent}`),
    `author ${by}`,
    `committer ${by}`,
    '',
    text.message,
  ].join('\n');
}

/** A name as git writes it: nothing that ends it early, no punctuation around it. */
const plain = (text: string): string =>
  text
    .replaceAll(/[\n<>]/g, '')
    .replace(/^[\0- .,:;"\\']+/, '')
    .replace(/[\0- .,:;"\\']+$/, '');

/** The user's own identity where git knows one, otherwise Convoy's. */
export async function identityOf(git: Git): Promise<Result<Identity, NoAnswer>> {
  const before = identities.get(git.view);
  if (before !== undefined && performance.now() - before.at < KNOWN_MS) return ok(before.identity);
  const users = await usersSettings(git);
  if (!users.ok) return users;
  const name = git.view.identity.name ?? users.value.get('user.name') ?? null;
  const email = git.view.identity.email ?? users.value.get('user.email') ?? null;
  const identity =
    usable(name) && usable(email) ? { name, email } : { name: 'Convoy', email: 'convoy@localhost' };
  identities.set(git.view, { at: performance.now(), identity });
  return ok(identity);
}

/** People rarely change their name; a minute is soon enough to notice. */
const KNOWN_MS = 60_000;
const identities = new WeakMap<View, { readonly at: number; readonly identity: Identity }>();

/** The name of its tree says by its length which hash the repository uses. */
const storeCommit = (view: View, tree: TreeId, content: Buffer): CommitId | null =>
  storeObject(view, { type: 'commit', content, hashBytes: tree.length / 2 });

/** Copies a commit onto another parent, keeping its author and message byte for byte. */
export async function copyCommit(
  git: Git,
  original: CommitId,
  onto: { tree: TreeId; parent: CommitId },
  committer: Identity & { at: number },
): Promise<Result<CommitId, NoAnswer>> {
  const read = await commitBytes(git, original);
  if (!read.ok) return read;
  const bytes = read.value;
  const end = bytes.indexOf('\n\n');
  // Latin-1 maps every byte to one character and back, whatever the commit's own encoding is.
  const headers = bytes.subarray(0, end).toString('latin1').split('\n');
  const kept = (name: string): string[] => headers.filter((line) => line.startsWith(`${name} `));
  const by = Buffer.from(`${committer.name} <${committer.email}>`).toString('latin1');
  const lines = [
    `tree ${onto.tree}`,
    `parent ${onto.parent}`,
    ...kept('author').slice(0, 1),
    `committer ${by} ${seconds(committer.at)} +0000`,
    ...kept('encoding').slice(0, 1),
  ];
  const text = Buffer.concat([Buffer.from(lines.join('\n'), 'latin1'), bytes.subarray(end)]);
  const id = storeCommit(git.view, onto.tree, text);
  if (id !== null) return ok(id);
  const made = await git.read(['hash-object', '-t', 'commit', '-w', '--stdin'], { input: text });
  return made.ok ? ok(made.value.trim()) : made;
}

async function commitBytes(git: Git, commit: CommitId): Promise<Result<Buffer, NoAnswer>> {
  const known = await git.staying.objects.ask({ expression: commit, want: 'contents' });
  if (known.ok && known.value?.type === 'commit') return ok(known.value.bytes);
  const args = ['cat-file', 'commit', commit];
  const raw = await git.run({ args });
  if (!raw.ok) return raw;
  return raw.value.code === 0 ? ok(raw.value.stdout) : err(failed(args, raw.value));
}

export function identityEnvironment(identity: Identity, at: number): Record<string, string> {
  const date = `@${seconds(at)} +0000`;
  return {
    GIT_AUTHOR_NAME: identity.name,
    GIT_AUTHOR_EMAIL: identity.email,
    GIT_AUTHOR_DATE: date,
    GIT_COMMITTER_NAME: identity.name,
    GIT_COMMITTER_EMAIL: identity.email,
    GIT_COMMITTER_DATE: date,
  };
}

const seconds = (at: number): number => Math.floor(at / 1000);

/** Git drops these characters from names; what is left must not be empty. */
const usable = (text: string | null): text is string =>
  text !== null && !/[<>\n\0]/.test(text) && text.replace(/[.,:;"'\\\s]/g, '') !== '';

/** Of each key the last value counts; exit 1 says that there is none. */
async function usersSettings(git: Git): Promise<Result<Map<string, string>, NoAnswer>> {
  const args = ['config', '--null', '--get-regexp', '^user\\.(name|email)$'];
  const done = await git.run({ args });
  if (!done.ok) return done;
  return ok(
    new Map(
      fields(done.value.stdout.toString('utf8')).map((entry) => {
        const end = entry.indexOf('\n');
        return end < 0 ? [entry, ''] : [entry.slice(0, end), entry.slice(end + 1)];
      }),
    ),
  );
}
