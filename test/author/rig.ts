import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gitAuthor } from '../../src/adapters/author/git-author.ts';
import { gitOf } from '../../src/adapters/git/git.ts';
import { locate } from '../../src/adapters/git/locate.ts';
import { openRepository } from '../../src/adapters/git/open.ts';
import { gitRunner } from '../../src/adapters/git/run.ts';
import { openView } from '../../src/adapters/git/view.ts';
import type { Author, AuthorLane, AuthorPlace, AuthorRequest } from '../../src/ports/author.ts';
import { value, type Rig } from '../git/rig.ts';

export const AT = 1_700_001_000_000;
export const GENERATED_AT = '2026-01-02T03:04:05.000Z';

/** A Node service, with whatever a test wants different. */
export const nodeLane = (more: Partial<AuthorLane> = {}): AuthorLane => ({
  name: 'api',
  kind: 'backend',
  path: '.',
  ecosystem: 'node',
  framework: 'express',
  packageManager: 'npm',
  install: 'npm install',
  build: null,
  start: 'node app.js',
  port: 3000,
  healthPath: '/health',
  datastores: [],
  secrets: ['DATABASE_URL'],
  platform: 'fly',
  ...more,
});

/** An author as the daemon composes one; `git` may name another program. */
export async function openAuthor(rig: Rig, git = 'git'): Promise<Author> {
  return gitAuthor(await openPlace(rig, git));
}

export async function openPlace(rig: Rig, git = 'git'): Promise<AuthorPlace> {
  const scratch = join(rig.root, 'scratch');
  mkdirSync(scratch, { recursive: true });
  const options = { env: rig.env, git };
  const runGit = gitRunner(options);
  const repository = value(
    await openRepository({ path: rig.repo, cacheDir: rig.cache, ...options }),
  );
  const place = value(await locate(rig.repo));
  const view = value(await openView(place, join(rig.root, 'view'), runGit));
  const bound = gitOf(view, runGit).inside({ path: rig.repo, gitDir: place.gitDir });
  return {
    workTree: rig.repo,
    scratch,
    git: (step) => bound.run(step),
    worktrees: repository.worktrees,
  };
}

/** What was planned, ready to be performed. */
export async function requestFor(
  author: Author,
  lanes: readonly AuthorLane[],
  more: Partial<AuthorRequest> = {},
): Promise<AuthorRequest> {
  const plan = value(await author.plan({ lanes, project: 'shop', generatedAt: GENERATED_AT }));
  if (plan.base === null) throw new Error('The repository has no commit.');
  return {
    planId: 'plan-1',
    project: 'shop',
    lanes,
    base: plan.base,
    files: plan.files,
    carry: null,
    expected: null,
    at: AT,
    ...more,
  };
}
