import { join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type {
  BranchName,
  ChangedPath,
  CommitInfo,
  NoAnswer,
  RepositoryFacts,
  SubmitLimits,
  UnknownRevision,
} from '../../ports/repository.ts';
import {
  about,
  failed,
  fields,
  refValue,
  resolveAs,
  unknownRevision,
  yesOrNo,
  type Git,
} from './git.ts';
import { refOf } from './branches.ts';
import { remoteHeads, symbolicRef } from './loose-ref.ts';
import { compare } from './compare.ts';
import { isNear, nearCommits } from './near.ts';
import type { RunGit } from './run.ts';
import { DEFAULT_LIMITS, objectionsTo } from './submit-checks.ts';
import { readSettings } from './view.ts';

/** What a repository holds, asked from git. */
export function repositoryFacts(git: Git, runGit: RunGit): RepositoryFacts {
  return {
    describe: () => describe(git, runGit),
    defaultBranch: () => defaultBranch(git),
    head: (branch) => headOf(git, branch),
    resolve: (revision) => resolveAs(git, revision, 'commit'),
    treeOf: (commit) => resolveAs(git, commit, 'tree'),
    isAncestor: (ancestor, of) => isAncestor(git, ancestor, of),
    mergeBase: (a, b) => mergeBase(git, a, b),
    commitsAhead: (base, head) => commitsAhead(git, base, head),
    changedPaths: (base, head) => changedPaths(git, base, head),
    diff: (base, head, limits) => diff(git, base, head, limits?.bytes ?? DIFF_BYTES),
    objections: (base, head, limits) => objections(git, base, head, limits ?? {}),
  };
}

const DIFF_BYTES = 8 * 1024 * 1024;

const describe = async (git: Git, runGit: RunGit): ReturnType<RepositoryFacts['describe']> => {
  const { place, nowhere } = git.view;
  const settings = await readSettings(join(place.commonDir, 'config'), nowhere, runGit);
  if (!settings.ok) return settings;
  const current = await currentBranch(git);
  if (!current.ok) return current;
  const born = await isThere(git, 'HEAD^{commit}');
  if (!born.ok) return born;
  const modules = born.value ? await isThere(git, 'HEAD:.gitmodules') : ok(false);
  if (!modules.ok) return modules;
  const remotes = settings.value.flatMap(([key, url]) => {
    const name = key.match(/^remote\.(.+)\.url$/s)?.[1];
    return name === undefined ? [] : [{ name, url }];
  });
  return ok({
    bare: place.mainWorkTree === null,
    workTree: place.workTree,
    gitDir: place.gitDir,
    born: born.value,
    currentBranch: current.value,
    remotes: remotes.filter(
      (remote, at) => remotes.findIndex((other) => other.name === remote.name) === at,
    ),
    submodules: modules.value,
  });
};

async function isThere(git: Git, expression: string): Promise<Result<boolean, NoAnswer>> {
  const known = await git.staying.objects.ask({ expression, want: 'info' });
  if (known.ok) return ok(known.value !== null);
  const done = await git.run({ args: ['cat-file', '-e', expression] });
  return done.ok ? ok(done.value.code === 0) : done;
}

async function currentBranch(git: Git): Promise<Result<BranchName | null, NoAnswer>> {
  const { place } = git.view;
  const where = { path: place.workTree ?? git.view.nowhere, gitDir: place.gitDir };
  return symbolic(git.inside(where), place.gitDir, 'HEAD', 'refs/heads/');
}

/** The remote's idea first, then the branch this repository started with; no name is assumed. */
const defaultBranch = async (git: Git): ReturnType<RepositoryFacts['defaultBranch']> => {
  const { commonDir } = git.view.place;
  const heads = await headsOfRemotes(git);
  if (!heads.ok) return heads;
  const remoteHead =
    heads.value.find((ref) => ref === 'refs/remotes/origin/HEAD') ?? heads.value[0];
  if (remoteHead !== undefined) {
    const prefix = remoteHead.slice(0, -'HEAD'.length);
    const named = await symbolic(git, commonDir, remoteHead, prefix);
    if (!named.ok) return named;
    if (named.value !== null) return ok(named.value);
  }
  const checkedOut = await symbolic(git, commonDir, 'HEAD', 'refs/heads/');
  if (!checkedOut.ok) return checkedOut;
  if (checkedOut.value !== null && !checkedOut.value.startsWith('convoy/')) {
    return ok(checkedOut.value);
  }
  return initialBranch(git);
};

async function headsOfRemotes(git: Git): Promise<Result<readonly string[], NoAnswer>> {
  const known = remoteHeads(git.view.place.commonDir);
  if (known !== null) return ok(known);
  const heads = await git.read(['for-each-ref', '--format=%(refname)', 'refs/remotes/*/HEAD']);
  return heads.ok ? ok(heads.value.split('\n').filter((line) => line !== '')) : heads;
}

/** HEAD is detached or on a branch of ours: fall back on the configured first branch, or the only one. */
const initialBranch = async (git: Git): ReturnType<RepositoryFacts['defaultBranch']> => {
  const configured = await git.run({ args: ['config', '--get', 'init.defaultBranch'] });
  if (!configured.ok) return configured;
  const listed = await git.read(['for-each-ref', '--format=%(refname)', 'refs/heads/']);
  if (!listed.ok) return listed;
  const branches = listed.value
    .split('\n')
    .filter((ref) => ref !== '' && !ref.startsWith('refs/heads/convoy/'))
    .map((ref) => ref.slice('refs/heads/'.length));
  const first = configured.value.stdout.toString('utf8').trim();
  if (branches.includes(first)) return ok(first);
  const [only, ...others] = branches;
  if (only !== undefined && others.length === 0) return ok(only);
  return err({ kind: 'no_default_branch' });
};

async function symbolic(
  git: Git,
  gitDir: string,
  ref: string,
  prefix: string,
): Promise<Result<string | null, NoAnswer>> {
  const below = (target: string): string | null =>
    target.startsWith(prefix) ? target.slice(prefix.length) : null;
  const known = symbolicRef(gitDir, ref);
  if (known !== undefined) return ok(known === null ? null : below(known));
  const args = ['symbolic-ref', '--quiet', ref];
  const done = await git.run({ args });
  if (!done.ok) return done;
  if (done.value.code === 1) return ok(null);
  if (done.value.code !== 0) return err(failed(args, done.value));
  return ok(below(done.value.stdout.toString('utf8').trim()));
}

export function headOf(git: Git, branch: BranchName): Promise<Result<string | null, NoAnswer>> {
  return refValue(git, refOf(branch));
}

export async function isAncestor(
  git: Git,
  ancestor: string,
  of: string,
): Promise<Result<boolean, UnknownRevision | NoAnswer>> {
  const near = await isNear(git, ancestor, of);
  if (near) return ok(true);
  const args = ['merge-base', '--is-ancestor', '--end-of-options', ancestor, of];
  const done = await about(git, [ancestor, of], { args }, yesOrNo);
  return done.ok ? ok(done.value.code === 0) : done;
}

async function mergeBase(
  git: Git,
  a: string,
  b: string,
): Promise<Result<string | null, UnknownRevision | NoAnswer>> {
  if (await isNear(git, a, b)) return ok(a);
  const args = ['merge-base', '--end-of-options', a, b];
  const done = await about(git, [a, b], { args }, yesOrNo);
  return done.ok ? ok(done.value.stdout.toString('utf8').trim() || null) : done;
}

async function commitsAhead(
  git: Git,
  base: string,
  head: string,
): Promise<Result<readonly CommitInfo[], UnknownRevision | NoAnswer>> {
  const near = await nearCommits(git, base, head);
  if (near !== null) return ok(near);
  const args = [
    'log',
    '-z',
    '--no-show-signature',
    '--format=%H%x01%an%x01%ae%x01%at%x01%s',
    '--end-of-options',
    `${base}..${head}`,
    '--',
  ];
  const log = await about(git, [base, head], { args });
  if (!log.ok) return log;
  return ok(
    fields(log.value.stdout.toString('utf8')).map((line) => {
      const [commit = '', author = '', email = '', at = '0', ...subject] = line.split('\x01');
      const authoredAt = Number(at) * 1000;
      return { commit, author, email, authoredAt, subject: subject.join('\x01') };
    }),
  );
}

const NO_PROGRAMS = ['--no-ext-diff', '--no-textconv', '--no-renames', '--no-color'];

async function changedPaths(
  git: Git,
  base: string,
  head: string,
): Promise<Result<readonly ChangedPath[], UnknownRevision | NoAnswer>> {
  const from = await mergeBase(git, base, head);
  if (!from.ok) return from;
  if (from.value === null) return err(unknownRevision(base));
  const listed = await git.read([
    'diff-tree',
    '-r',
    '-z',
    '--raw',
    '--numstat',
    ...NO_PROGRAMS,
    '--ignore-submodules=none',
    '--end-of-options',
    from.value,
    head,
    '--',
  ]);
  return listed.ok ? ok(parseChanges(fields(listed.value))) : listed;
}

/** Raw entries (`:modes… status`, path) come first, then one numstat field per path. */
export function parseChanges(parts: readonly string[]): ChangedPath[] {
  const changes = new Map<string, ChangedPath>();
  for (let at = 0; at < parts.length; at += 1) {
    const part = parts[at] ?? '';
    const raw = part.match(/^:(\d+) (\d+) \S+ \S+ ([A-Z])/);
    if (raw !== null) {
      at += 1;
      const [, before = '', after = '', status = ''] = raw;
      const path = parts[at] ?? '';
      const sort = sortOf(after === '000000' ? before : after);
      changes.set(path, { path, change: changeOf(status), added: 0, removed: 0, sort });
      continue;
    }
    const [added = '', removed = '', ...rest] = part.split('\t');
    const known = changes.get(rest.join('\t'));
    if (known !== undefined) {
      changes.set(known.path, { ...known, added: count(added), removed: count(removed) });
    }
  }
  return [...changes.values()];
}

const count = (text: string): number | null => (text === '-' ? null : Number(text));

function changeOf(status: string): ChangedPath['change'] {
  if (status === 'A') return 'added';
  if (status === 'D') return 'deleted';
  return status === 'T' ? 'type_changed' : 'modified';
}

function sortOf(mode: string): ChangedPath['sort'] {
  if (mode === '120000') return 'symlink';
  return mode === '160000' ? 'submodule' : 'file';
}

const diff = async (
  git: Git,
  base: string,
  head: string,
  bytes: number,
): ReturnType<RepositoryFacts['diff']> => {
  const from = await mergeBase(git, base, head);
  if (!from.ok) return from;
  if (from.value === null) return err(unknownRevision(base));
  const args = [
    'diff-tree',
    '-r',
    '-p',
    ...NO_PROGRAMS,
    '--submodule=short',
    '--ignore-submodules=none',
    '--end-of-options',
    from.value,
    head,
    '--',
  ];
  const done = await git.run({ args, maxBytes: bytes, truncate: true });
  if (!done.ok) return done;
  if (done.value.code !== 0) return err(failed(args, done.value));
  return ok({ text: done.value.stdout.toString('utf8'), truncated: done.value.truncated });
};

const SUBMIT = [
  '-r',
  '-z',
  '--raw',
  '--numstat',
  '-p',
  ...NO_PROGRAMS,
  '--submodule=short',
  '--ignore-submodules=none',
];
/** Room for the names of the files besides the text of the diff. */
const LIST_BYTES = 4 * 1024 * 1024;

/** With `-z` an empty field ends the lists; no entry of theirs is empty, so it is the first. */
function listAndPatch(output: Buffer): { list: string; patch: Buffer } {
  const end = output.indexOf('\0\0');
  if (end < 0) return { list: output.toString('utf8'), patch: Buffer.alloc(0) };
  return { list: output.toString('utf8', 0, end + 1), patch: output.subarray(end + 2) };
}

const objections = async (
  git: Git,
  base: string,
  head: string,
  limits: Partial<SubmitLimits>,
): ReturnType<RepositoryFacts['objections']> => {
  const all = { ...DEFAULT_LIMITS, ...limits };
  const from = await mergeBase(git, base, head);
  if (!from.ok) return from;
  if (from.value === null) return err(unknownRevision(base));
  const compared = await compare(git, from.value, head, SUBMIT, all.diffBytes + LIST_BYTES);
  if (!compared.ok) return compared;
  const { list, patch } = listAndPatch(compared.value.stdout);
  const text = patch.subarray(0, all.diffBytes).toString('utf8');
  const truncated = compared.value.truncated || patch.length > all.diffBytes;
  return ok(objectionsTo(parseChanges(fields(list)), { text, truncated }, all));
};
