import { randomBytes } from 'node:crypto';
import { mkdir, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import {
  addedLines,
  countLines,
  installedDirectory,
  parseRawChanges,
  type CarriedFile,
  type CarryPlan,
  type RawChange,
  type WithheldFile,
  type WithheldReason,
} from '../../domain/ship/author/carry.ts';
import { holdsSecret, isSecretName } from '../../domain/ship/author/secret-looking.ts';
import { redact } from '../../domain/ship/redact.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { AuthorPlace, GitRunner, TooManyChanges } from '../../ports/author.ts';
import type { CommitId, NoAnswer, TreeId } from '../../ports/repository.ts';
import { fields, ioFailed, read, writeTree } from './git-steps.ts';
import { sweep } from './sweep.ts';

type Env = Readonly<Record<string, string>>;

const MOST_FILES = 1_000;
const MOST_SHOWN = 16 * 1024;
const MOST_SHOWN_IN_ALL = 512 * 1024;
const MOST_SCANNED = 8 * 1024 * 1024;

/**
 * Collects the developer's uncommitted work without touching it.
 *
 * Files are read into an index of our own, and their objects go to a directory of our own: a plan
 * that is never approved leaves no trace in the repository, and a secret that was looked at is gone.
 */
export async function collectCarry(
  place: Pick<AuthorPlace, 'git' | 'scratch'>,
  base: CommitId,
): Promise<Result<CarryPlan, TooManyChanges | NoAnswer>> {
  const room = join(place.scratch, `carry-${randomBytes(6).toString('hex')}`);
  try {
    await sweep(place.scratch);
    const env = await quarantine(place.git, room);
    if (!env.ok) return env;
    return await collect(place.git, base, env.value);
  } catch (cause) {
    return err(ioFailed('collect uncommitted changes', cause));
  } finally {
    await rm(room, { recursive: true, force: true });
  }
}

/** The tree of a commit with the named paths as they are in the working tree now. */
export async function treeWith(
  git: GitRunner,
  base: CommitId,
  paths: readonly string[],
  env: Env,
): Promise<Result<TreeId, NoAnswer>> {
  const started = await read(git, { args: ['read-tree', base], env });
  if (!started.ok) return started;
  const args = ['update-index', '-z', '--add', '--remove', '--replace', '--stdin'];
  const input = paths.map((path) => `${path}\0`).join('');
  const added = await read(git, { args, env, input });
  return added.ok ? writeTree(git, env) : added;
}

/** Both names of everything in a plan: what must be read from the working tree to make its tree. */
export const touchedPaths = (plan: CarryPlan): readonly string[] =>
  plan.files.flatMap(({ path, from }) => (from === null ? [path] : [from, path]));

async function quarantine(git: GitRunner, room: string): Promise<Result<Env, NoAnswer>> {
  const objects = join(room, 'objects');
  // Whatever is looked at lands here for a moment, secrets too.
  await mkdir(objects, { recursive: true, mode: 0o700 });
  const real = await read(git, {
    args: ['rev-parse', '--path-format=absolute', '--git-path', 'objects'],
  });
  if (!real.ok) return real;
  return ok({
    GIT_INDEX_FILE: join(room, 'index'),
    GIT_OBJECT_DIRECTORY: objects,
    GIT_ALTERNATE_OBJECT_DIRECTORIES: listed(resolve(real.value.replace(/\n$/, ''))),
  });
}

/** A colon would end the path in git's list; in quotes it is a letter. */
const listed = (path: string): string =>
  /[:"\\]/.test(path) ? `"${path.replaceAll(/["\\]/g, String.raw`\$&`)}"` : path;

async function collect(
  git: GitRunner,
  base: CommitId,
  env: Env,
): Promise<Result<CarryPlan, TooManyChanges | NoAnswer>> {
  const changed = await changedPaths(git, base, env);
  if (!changed.ok) return changed;
  const withheld: WithheldFile[] = [...changed.value.withheld];
  let paths = changed.value.paths;
  if (paths.length > MOST_FILES)
    return err({ kind: 'too_many_changes', files: paths.length, most: MOST_FILES });
  for (;;) {
    const tree = await treeWith(git, base, paths, env);
    if (!tree.ok) return tree;
    const looked = await look(git, base, env);
    if (!looked.ok) return looked;
    const { files, refused } = looked.value;
    if (refused.length === 0)
      return ok({ base, tree: tree.value, files, withheld: ordered(withheld) });
    // Half a rename would lose the file, so both of its names stay behind.
    const out = new Set(refused.flatMap(({ change }) => [change.path, change.from ?? change.path]));
    const left = paths.filter((path) => !out.has(path));
    if (left.length === paths.length)
      return err(ioFailed('collect uncommitted changes', 'a withheld file could not be left out'));
    withheld.push(...refused.map(({ change, reason }) => ({ path: change.path, reason })));
    paths = left;
  }
}

type Changed = { readonly paths: readonly string[]; readonly withheld: readonly WithheldFile[] };

/** Everything that differs from the commit, without what its name alone rules out. */
async function changedPaths(
  git: GitRunner,
  base: CommitId,
  env: Env,
): Promise<Result<Changed, NoAnswer>> {
  const started = await read(git, { args: ['read-tree', base], env });
  if (!started.ok) return started;
  const changed = await names(git, ['ls-files', '-z', '--modified', '--deleted'], env);
  if (!changed.ok) return changed;
  const fresh = await names(git, ['ls-files', '-z', '--others', '--exclude-standard'], env);
  if (!fresh.ok) return fresh;
  // An ignored file that was added on purpose shows only in the developer's own index.
  const staged = await names(git, [...STAGED_NEW, base, '--']);
  if (!staged.ok) return staged;
  // And only that index knows which files a sparse checkout leaves out on purpose.
  const tagged = await names(git, ['ls-files', '-z', '-t']);
  if (!tagged.ok) return tagged;
  const absent = new Set(
    tagged.value.flatMap((row) => (row.startsWith('S ') ? [row.slice(2)] : [])),
  );
  const packages = fresh.value.flatMap((path) => installedDirectory(path) ?? []);
  const paths = [...changed.value.filter((path) => !absent.has(path)), ...staged.value].concat(
    fresh.value.filter((path) => installedDirectory(path) === null),
  );
  return ok(byNames([...new Set(paths)].toSorted(), [...new Set(packages)]));
}

const STAGED_NEW = [
  'diff-index',
  '--cached',
  '--name-only',
  '-z',
  '--diff-filter=A',
  '--no-renames',
  '--ignore-submodules=all',
];

async function names(
  git: GitRunner,
  args: readonly string[],
  env?: Env,
): Promise<Result<readonly string[], NoAnswer>> {
  const text = await read(git, env === undefined ? { args } : { args, env });
  return text.ok ? ok(fields(text.value)) : text;
}

function byNames(paths: readonly string[], packages: readonly string[]): Changed {
  const named = paths.map((path) => ({ path, reason: byName(path) }));
  return {
    paths: named.flatMap(({ path, reason }) => (reason === null ? [path] : [])),
    withheld: [
      ...named.flatMap(({ path, reason }) => (reason === null ? [] : [{ path, reason }])),
      ...packages.map((path) => ({ path, reason: 'installed-packages' as const })),
    ],
  };
}

function byName(path: string): WithheldReason | null {
  // A trailing slash marks a repository inside the working tree.
  if (path.endsWith('/')) return 'nested-repository';
  if (path.split('/')[0] === '.convoy') return 'convoy-state';
  // Bytes that are no text cannot be named to git again.
  if (path.includes('\uFFFD')) return 'unreadable';
  return isSecretName(path) ? 'secret-name' : null;
}

type Looked = {
  readonly files: readonly CarriedFile[];
  readonly refused: readonly { readonly change: RawChange; readonly reason: WithheldReason }[];
};

async function look(git: GitRunner, base: CommitId, env: Env): Promise<Result<Looked, NoAnswer>> {
  const args = ['diff-index', '--cached', '--raw', '-z', '-M', '--no-abbrev', base, '--'];
  const rows = await read(git, { args, env });
  if (!rows.ok) return rows;
  const secrets = await secretBlobs(git, base);
  if (!secrets.ok) return secrets;
  const files: CarriedFile[] = [];
  const refused: { change: RawChange; reason: WithheldReason }[] = [];
  let room = MOST_SHOWN_IN_ALL;
  for (const change of parseRawChanges(rows.value)) {
    const patch = await patchOf(git, base, change, env);
    if (!patch.ok) return patch;
    const reason = byContent(change, patch.value, secrets.value);
    if (reason === null) {
      const file = carriedFile(change, patch.value.text, Math.min(MOST_SHOWN, room));
      room -= file.diff.length;
      files.push(file);
    } else refused.push({ change, reason });
  }
  return ok({ files, refused });
}

type Patch = { readonly text: string; readonly cut: boolean };

async function patchOf(
  git: GitRunner,
  base: CommitId,
  { path, from }: RawChange,
  env: Env,
): Promise<Result<Patch, NoAnswer>> {
  const done = await git({
    args: [
      '--literal-pathspecs',
      'diff-index',
      '--cached',
      '-p',
      '-M',
      '--no-ext-diff',
      '--no-textconv',
      '--no-color',
      base,
      '--',
      ...(from === null ? [path] : [from, path]),
    ],
    env,
    maxBytes: MOST_SCANNED,
    truncate: true,
  });
  if (!done.ok) return done;
  if (done.value.code !== 0 && !done.value.truncated)
    return err(ioFailed('show a change', done.value.stderr));
  return ok({ text: done.value.stdout.toString('utf8'), cut: done.value.truncated });
}

function byContent(
  change: RawChange,
  patch: Patch,
  secrets: ReadonlySet<string>,
): WithheldReason | null {
  if (change.oldMode === '160000' || change.newMode === '160000') return 'submodule';
  if (change.change !== 'deleted' && secrets.has(change.blob)) return 'copy-of-a-secret';
  if (patch.cut) return 'too-large';
  return holdsSecret(addedLines(patch.text)) ? 'secret-content' : null;
}

function carriedFile(change: RawChange, patch: string, room: number): CarriedFile {
  const { path, from } = change;
  const shown = redact(patch.slice(0, room));
  return {
    path,
    from,
    change: change.change,
    ...countLines(patch),
    diff: shown,
    truncated: patch.length > room,
  };
}

/** What the commit holds under secret names; the same bytes under another name are no less secret. */
async function secretBlobs(
  git: GitRunner,
  base: CommitId,
): Promise<Result<ReadonlySet<string>, NoAnswer>> {
  const rows = await read(git, { args: ['ls-tree', '-r', '-z', '--full-tree', base] });
  if (!rows.ok) return rows;
  return ok(
    new Set(
      fields(rows.value).flatMap((row) => {
        const [, blob = '', path = ''] = /^\d{6} blob ([0-9a-f]+)\t(.*)$/s.exec(row) ?? [];
        return path !== '' && isSecretName(path) ? [blob] : [];
      }),
    ),
  );
}

const ordered = (files: readonly WithheldFile[]): readonly WithheldFile[] =>
  files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
