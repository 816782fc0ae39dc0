import { join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type { NoAnswer, UnknownRevision } from '../../ports/repository.ts';
import { settings } from './environment.ts';
import { looseRef, readLine } from './loose-ref.ts';
import { MARK } from './process-identity.ts';
import { errored, type GitCommand, type GitOutput, type RunGit } from './run.ts';
import { NONE_STAYS, type Staying } from './staying.ts';
import type { View } from './view.ts';

/** Git bound to one repository, seen through its view. */
export type Git = {
  readonly view: View;
  /** Many questions to one process. */
  readonly staying: Staying;
  /** Any exit code is an answer here. */
  run(command: RepositoryCommand): Promise<Result<GitOutput, NoAnswer>>;
  /** Standard output when git exits 0; anything else is no answer. */
  read(args: readonly string[], more?: CommandOptions): Promise<Result<string, NoAnswer>>;
  /** The same git, standing in a checkout. */
  inside(checkout: Checkout): Git;
  /** The same git, whose processes can be found by a mark should we die before they end; so none that stays moves refs. */
  marked(mark: string): Git;
};

export type Checkout = { readonly path: string; readonly gitDir: string };
export type CommandOptions = Partial<Omit<GitCommand, 'args'>>;
export type RepositoryCommand = CommandOptions & { readonly args: readonly string[] };

export function gitOf(
  view: View,
  runGit: RunGit,
  staying: Staying = NONE_STAYS,
  checkout: Checkout | null = null,
  mark: string | null = null,
): Git {
  const bound = {
    GIT_DIR: checkout?.gitDir ?? view.place.commonDir,
    GIT_COMMON_DIR: view.commonDir,
    ...(checkout === null ? {} : { GIT_WORK_TREE: checkout.path }),
  };
  const home = checkout?.path ?? view.nowhere;
  const marks = mark === null ? [] : settings({ [MARK]: mark });
  const run: Git['run'] = ({ args, env, cwd, ...more }) =>
    runGit({ ...more, args: [...marks, ...args], cwd: cwd ?? home, env: { ...bound, ...env } });
  return {
    view,
    staying,
    run,
    read: async (args, more) => {
      const done = await run({ ...more, args });
      if (!done.ok) return done;
      if (done.value.code !== 0) return err(failed(args, done.value));
      return ok(done.value.stdout.toString('utf8'));
    },
    inside: (where) => gitOf(view, runGit, staying, where, mark),
    marked: (as) => gitOf(view, runGit, { ...staying, refs: NONE_STAYS.refs }, checkout, as),
  };
}

/** What an exit code nobody expected means. */
export function failed(args: readonly string[], output: GitOutput): NoAnswer {
  const busy = /\.lock': File exists|Unable to create .*\.lock|cannot lock ref/.test(output.stderr);
  return errored(
    busy ? 'busy' : 'git_failed',
    `git ${args.find((arg) => !arg.startsWith('-')) ?? ''}`,
    `exit ${output.code}: ${output.stderr}`,
  );
}

export const unknownRevision = (revision: string): UnknownRevision => ({
  kind: 'unknown_revision',
  revision,
});

/** A full name, which needs no look-up and cannot be taken for an option. */
export const isObjectId = (text: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);

/** The object a revision names, as the wanted type; no shorthand that a branch name could hijack. */
export async function resolveAs(
  git: Git,
  revision: string,
  type: 'commit' | 'tree',
): Promise<Result<string, UnknownRevision | NoAnswer>> {
  if (revision === '' || /[\0\n]/.test(revision)) return err(unknownRevision(revision));
  if (isObjectId(revision)) {
    const found = await git.staying.objects.ask({
      expression: `${revision}^{${type}}`,
      want: 'info',
    });
    if (found.ok) return found.value === null ? err(unknownRevision(revision)) : ok(found.value.id);
    if (found.error.kind === 'stopped') return found;
  }
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{${type}}`];
  const done = await git.run({ args });
  if (!done.ok) return done;
  if (done.value.code !== 0) return err(unknownRevision(revision));
  return ok(done.value.stdout.toString('utf8').trim());
}

/** The commit a checkout is at. */
export async function headOfCheckout(
  git: Git,
  checkout: Checkout,
): Promise<Result<string, UnknownRevision | NoAnswer>> {
  const text = readLine(join(checkout.gitDir, 'HEAD'), LONGEST_HEAD) ?? '';
  const ref = /^ref: (refs\/heads\/[^\n]+)\n$/.exec(text)?.[1];
  const id = ref === undefined ? text.trimEnd() : looseRef(git.view.place.commonDir, ref);
  // Anything but a plain HEAD is for git to make out.
  return resolveAs(git.inside(checkout), id !== null && isObjectId(id) ? id : 'HEAD', 'commit');
}

const LONGEST_HEAD = 4096;

/** Where a fully named ref points, or null when it does not exist. */
export async function refValue(git: Git, ref: string): Promise<Result<string | null, NoAnswer>> {
  if (/[\0\n]/.test(ref)) return ok(null);
  const loose = looseRef(git.view.place.commonDir, ref);
  if (loose !== null) return ok(loose);
  // It tries shorter names too, so what it finds is looked up again below; what it misses is not there.
  const found = await git.staying.objects.ask({ expression: ref, want: 'info' });
  if (found.ok && found.value === null) return ok(null);
  const args = ['show-ref', '--verify', '--hash', '--', ref];
  const done = await git.run({ args });
  if (!done.ok) return done;
  if (done.value.code === 0) return ok(done.value.stdout.toString('utf8').trim());
  return done.value.stderr.includes('not a valid ref') ? ok(null) : err(failed(args, done.value));
}

/**
 * Runs a question about commits and, only if git failed, finds out whether one of them is unknown.
 *
 * Asking first would double the number of processes for what nearly always is known.
 */
export async function about(
  git: Git,
  commits: readonly string[],
  command: RepositoryCommand,
  isAnswer: (output: GitOutput) => boolean = ({ code }) => code === 0,
): Promise<Result<GitOutput, UnknownRevision | NoAnswer>> {
  const odd = commits.filter((commit) => !isObjectId(commit));
  const unknown = await resolveAll(git, odd);
  if (!unknown.ok) return unknown;
  const done = await git.run(command);
  if (!done.ok || isAnswer(done.value)) return done;
  const known = await resolveAll(git, commits);
  return known.ok ? err(failed(command.args, done.value)) : known;
}

/** For commands that answer no with 1. */
export const yesOrNo = ({ code }: GitOutput): boolean => code === 0 || code === 1;

async function resolveAll(
  git: Git,
  revisions: readonly string[],
): Promise<Result<void, UnknownRevision | NoAnswer>> {
  const results = await Promise.all(
    revisions.map((revision) => resolveAs(git, revision, 'commit')),
  );
  return results.find((result) => !result.ok) ?? ok(undefined);
}

/** Fields of a `-z` answer. */
export const fields = (text: string): string[] => {
  const parts = text.split('\0');
  if (parts.at(-1) === '') parts.pop();
  return parts;
};
