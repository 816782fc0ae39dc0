import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { basename, join, relative, resolve, sep } from 'node:path';
import { openRepository } from '../adapters/git/open.ts';
import { defaultPrefix } from '../api/prefix.ts';
import { environment } from '../config/environment.ts';
import { readSettings } from '../config/read.ts';
import { starterConfig, type StarterRepo } from '../config/starter.ts';
import { CONFIG_FILE, findWorkspace, WORKSPACE_DIR } from '../config/workspace.ts';
import type { Problem } from '../contract/problem.ts';
import { openLedger } from '../ledger/open.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { NoAnswer } from '../ports/repository.ts';
import { ledgerProblem } from './in-process.ts';
import { problemOf } from './settings-problem.ts';
import { cacheDir, ledgerPlace, type Variables } from './services.ts';
import { operatorToken } from './token.ts';

export type InitWish = {
  readonly dir: string;
  readonly env: Variables;
  readonly name: string | undefined;
  readonly prefix: string | undefined;
  readonly target: string | undefined;
};

export type InitReport = {
  readonly workspace: string;
  readonly created: boolean;
  readonly repo: { readonly name: string; readonly prefix: string; readonly target: string } | null;
  /** The workspace above, which this one now hides from everything below here. */
  readonly inside: string | null;
};

/**
 * Makes `.convoy/` in a directory and registers the repository it is in. Twice changes nothing, also
 * from another directory of the same checkout.
 */
export async function initWorkspace(wish: InitWish): Promise<Result<InitReport, Problem>> {
  const env = environment(wish.env);
  if (!env.ok) return err(problemOf(env.error));
  const dir = join(wish.dir, WORKSPACE_DIR);
  const file = join(dir, CONFIG_FILE);
  if (existsSync(file)) return already(wish.dir);
  const repo = await repoIn(wish);
  if (!repo.ok) return repo;
  const above = findWorkspace(wish.dir);
  const inside =
    above.ok && existsSync(join(above.value.dir, CONFIG_FILE)) ? above.value.root : null;
  // A second workspace on the same checkout would be a second engine on it.
  if (inside !== null && repo.value !== null && holds(resolve(wish.dir, repo.value.path), inside))
    return already(inside);
  const text = starterConfig(repo.value);
  const checked = readSettings(text, { file, root: wish.dir });
  if (!checked.ok) return err(problemOf(checked.error));
  mkdirSync(dir, { recursive: true });
  // Everything in here belongs to this machine; it must never make the repository look dirty.
  writeFileSync(join(dir, '.gitignore'), '*\n');
  operatorToken(dir);
  try {
    const ledger = await openLedger(ledgerPlace({ root: wish.dir, dir }, env.value), Date.now);
    await ledger.close();
  } catch (error) {
    return err(ledgerProblem(error, { root: wish.dir, dir }));
  }
  writeFileSync(file, text);
  const made = repo.value;
  return ok({
    workspace: wish.dir,
    created: true,
    repo: made === null ? null : { name: made.name, prefix: made.prefix, target: made.target },
    inside,
  });
}

const already = (workspace: string): Result<InitReport, Problem> =>
  ok({ workspace, created: false, repo: null, inside: null });

const holds = (directory: string, path: string): boolean =>
  path === directory || path.startsWith(directory + sep);

const noGit = (error: NoAnswer): Problem => ({
  kind: 'unavailable',
  code: 'git_unavailable',
  message: 'Git does not answer, so nothing was set up.',
  ...('detail' in error ? { cause: error.detail } : {}),
  remedy: 'Install git 2.38 or newer; convoy doctor checks it.',
});

async function repoIn(wish: InitWish): Promise<Result<StarterRepo | null, Problem>> {
  const { dir, env, name, prefix, target } = wish;
  const opened = await openRepository({ path: dir, cacheDir: join(cacheDir(env), 'repos'), env });
  if (!opened.ok) {
    // No answer is not a no: without git nobody can say what this directory is.
    if (opened.error.kind !== 'not_a_repository') return err(noGit(opened.error));
    if ([name, prefix, target].every((said) => said === undefined)) return ok(null);
    return err({
      kind: 'invalid',
      code: 'not_a_repository',
      message: `${dir} is not a git repository, so there is nothing to name.`,
      remedy: 'git init first, or leave --name, --prefix and --target out.',
    });
  }
  const branch = await opened.value.facts.defaultBranch();
  const described = await opened.value.facts.describe();
  const root = (described.ok ? described.value.workTree : null) ?? dir;
  return ok({
    name: name ?? 'main',
    path: relative(dir, root) || '.',
    prefix: prefix ?? defaultPrefix(basename(root), new Set()),
    target: target ?? (branch.ok ? branch.value : FALLBACK_TARGET),
  });
}

/** Only where git itself cannot say, as in a repository without a commit and without a branch. */
const FALLBACK_TARGET = 'main';
