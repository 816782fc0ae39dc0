import type { Convoy } from '../domain/convoy/convoy.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { CommitId, Repository } from '../ports/repository.ts';
import type { World } from './world.ts';

/** Work of a convoy with a base branch begins there, with what its target has got meanwhile. */
export async function onBaseBranch(
  world: World,
  convoy: Convoy,
  repo: string,
  repository: Repository,
  head: CommitId,
): Promise<Result<CommitId, string>> {
  const branch = convoy.options.baseBranches[repo];
  if (branch === undefined) return ok(head);
  const base = await repository.facts.head(branch);
  if (!base.ok) return err(`git did not answer: ${base.error.kind}`);
  if (base.value === null) return err(`there is no branch ${branch} to begin from`);
  const contained = await repository.merges.alreadyContained(base.value, head);
  if (contained.ok && contained.value) return ok(head);
  const merged = await repository.merges.build('merge', head, base.value, {
    message: `Begin ${convoy.id} from ${branch}`,
    at: world.now(),
  });
  return merged.ok
    ? ok(merged.value.commit)
    : err(`the base branch ${branch} does not merge with the target: ${merged.error.kind}`);
}
