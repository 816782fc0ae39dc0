import { conflictResidue } from '../../domain/review/conflict-residue.ts';
import { diffFiles } from '../../domain/review/diff-files.ts';
import type { Attempt } from '../../domain/work/attempt.ts';
import type { Delivered } from '../../domain/work/prompt.ts';
import { changesOf } from '../../ledger/queries/changes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Repository, Worktree } from '../../ports/repository.ts';
import type { World } from '../world.ts';

/** A merge left open for a resolver: what it merges with, where it collides, who did what. */
export type OpenConflict = {
  readonly onto: string;
  readonly files: readonly string[];
  readonly ours: Delivered['commits'];
  readonly theirs: Delivered['commits'];
};

/** The head of the change that conflicted, while git still has it. */
export async function conflictedHead(
  world: World,
  attempt: Attempt,
  repository: Repository,
): Promise<string | null> {
  const last = (await changesOf(world.ledger.db, attempt.task)).at(-1);
  if (last?.status !== 'conflicted') return null;
  const head = await repository.facts.resolve(last.head);
  return head.ok ? head.value : null;
}

/** Opens the conflicted merge in a resolver's worktree; other roles have none. */
export async function openConflict(
  world: World,
  attempt: Attempt,
  repository: Repository,
  worktree: Worktree,
): Promise<Result<OpenConflict | null, string>> {
  if (attempt.role !== 'resolver') return ok(null);
  const source = await conflictedHead(world, attempt, repository);
  if (source === null) return ok(null);
  const target = await repository.facts.head(attempt.target);
  if (!target.ok || target.value === null) return err(`there is no branch ${attempt.target}`);
  const merge = await repository.worktrees.startMerge(worktree, target.value);
  if (!merge.ok) return err(`the merge could not be opened: ${merge.error.kind}`);
  return ok({
    onto: target.value,
    files: merge.value.conflicts,
    ours: await commitsOf(repository, target.value, source),
    theirs: await commitsOf(repository, source, target.value),
  });
}

async function commitsOf(
  repository: Repository,
  base: string,
  head: string,
): Promise<Delivered['commits']> {
  const commits = await repository.facts.commitsAhead(base, head);
  return commits.ok ? commits.value.map(({ commit, subject }) => ({ sha: commit, subject })) : [];
}

/** What a resolver left undone, or null: the other side must be in, and no marker may be left. */
export async function unresolvedIn(
  attempt: Attempt,
  repository: Repository,
  base: string,
  head: string,
): Promise<string | null> {
  if (attempt.role !== 'resolver') return null;
  const merged = await repository.facts.isAncestor(base, head);
  if (!merged.ok) return `git did not answer: ${merged.error.kind}`;
  if (!merged.value) return `what landed in ${attempt.target} meanwhile was not merged`;
  const diff = await repository.facts.diff(base, head);
  if (!diff.ok) return `git did not answer: ${diff.error.kind}`;
  const left = conflictResidue(diffFiles(diff.value.text)).map(
    ({ file, line }) => `${file}:${line}`,
  );
  return left.length === 0 ? null : `conflict markers are left in ${left.slice(0, 5).join(', ')}`;
}
