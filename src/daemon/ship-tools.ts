import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { gitAuthor } from '../adapters/author/git-author.ts';
import { gitOf } from '../adapters/git/git.ts';
import { locate } from '../adapters/git/locate.ts';
import { openRepository } from '../adapters/git/open.ts';
import { gitRunner } from '../adapters/git/run.ts';
import { openView } from '../adapters/git/view.ts';
import { openRepositoryReader } from '../adapters/medic/repository-reader.ts';
import { createRuleMedic } from '../adapters/medic/rule-medic.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Author } from '../ports/author.ts';
import type { NoAnswer, NotARepository } from '../ports/repository.ts';
import type { ShipTools } from '../ports/ship.ts';
import { cacheDir, type Variables } from './services.ts';

/** What a run uses on a working tree, made of the adapters of this machine. */
export const shipTools = (env: Variables): ShipTools => ({
  author: (root) => authorOf(root, env),
  branchHead: async (root, branch) => {
    const opened = await openRepository({
      path: root,
      cacheDir: join(cacheDir(env), 'repos'),
      env,
    });
    if (!opened.ok) return null;
    const head = await opened.value.facts.head(branch);
    return head.ok ? head.value : null;
  },
  medic: async (root, secrets) =>
    createRuleMedic(await openRepositoryReader(root, secrets), secrets),
});

async function authorOf(
  root: string,
  env: Variables,
): Promise<Result<Author, NotARepository | NoAnswer>> {
  const place = await locate(root);
  if (!place.ok) return place;
  const { workTree, gitDir, commonDir } = place.value;
  if (workTree === null) return err({ kind: 'not_a_repository', path: root });
  const name = createHash('sha256').update(commonDir).digest('hex').slice(0, 16);
  const scratch = join(cacheDir(env), 'ship', name);
  await mkdir(scratch, { recursive: true });
  const runGit = gitRunner({ env });
  const view = await openView(place.value, scratch, runGit);
  if (!view.ok) return view;
  const opened = await openRepository({ path: root, cacheDir: join(cacheDir(env), 'repos'), env });
  if (!opened.ok) return opened;
  const git = gitOf(view.value, runGit).inside({ path: workTree, gitDir });
  return ok(
    gitAuthor({
      workTree,
      scratch,
      git: (step) => git.run(step),
      worktrees: opened.value.worktrees,
    }),
  );
}
