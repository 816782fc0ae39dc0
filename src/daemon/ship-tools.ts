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
import type { NoAnswer, NotARepository, Repository } from '../ports/repository.ts';
import type { Medic } from '../ports/medic.ts';
import type { Model } from '../ports/model.ts';
import type { MedicWish, ShipTools } from '../ports/ship.ts';
import { forgesOf } from './forges.ts';
import { cacheDir, type Variables } from './services.ts';

/** What a run uses on a working tree, made of the adapters of this machine. */
export const shipTools = (env: Variables, model: () => Promise<Model | null>): ShipTools => ({
  author: (root) => authorOf(root, env),
  branchHead: async (root, branch) => {
    const head = await (await repositoryAt(root, env))?.facts.head(branch);
    return head?.ok === true ? head.value : null;
  },
  repository: (root) => repositoryAt(root, env),
  forges: forgesOf(env),
  medic: (wish) => medicOf(wish, model),
  improveFiles: async (files, diagnosis) => {
    const found = files.length === 0 ? null : await model();
    if (found === null) return new Map();
    const { improveFiles } = await import('../adapters/author/model-file.ts');
    return improveFiles(found, files, diagnosis);
  },
});

async function repositoryAt(root: string, env: Variables): Promise<Repository | null> {
  const opened = await openRepository({ path: root, cacheDir: join(cacheDir(env), 'repos'), env });
  return opened.ok ? opened.value : null;
}

/** The rules, and where there is a model and nobody minds, the model with the rules behind it. */
async function medicOf(
  { root, secrets, ai, onStep, signal }: MedicWish,
  open: () => Promise<Model | null>,
): Promise<Medic> {
  const reader = await openRepositoryReader(root, secrets);
  const rules = createRuleMedic(reader, secrets);
  const model = ai === false ? null : await open();
  if (model !== null) {
    const { createModelMedic } = await import('../adapters/medic/model-medic.ts');
    return createModelMedic({ model, reader, rules, secrets, onEvent: onStep, signal });
  }
  if (ai !== true) return rules;
  const because = 'there is no key for a model';
  return {
    diagnose: async (evidence) => ({ ...(await rules.diagnose(evidence)), by: 'rules', because }),
  };
}

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
