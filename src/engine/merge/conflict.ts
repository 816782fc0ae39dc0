import { conflictResidue } from '../../domain/review/conflict-residue.ts';
import { diffFiles } from '../../domain/review/diff-files.ts';
import type { Attempt } from '../../domain/work/attempt.ts';
import type { Delivered } from '../../domain/work/prompt.ts';
import { changeAggregate } from '../../ledger/aggregates/change.ts';
import { taskAggregate } from '../../ledger/aggregates/task.ts';
import { changesOf } from '../../ledger/queries/changes.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Repository, Worktree } from '../../ports/repository.ts';
import type { World } from '../world.ts';
import { followUpOf } from './follow-up.ts';

/** A merge left open for a resolver: what it merges with, where it collides, who did what. */
export type OpenConflict = {
  readonly onto: string;
  readonly files: readonly string[];
  readonly ours: Delivered['commits'];
  readonly theirs: Delivered['commits'];
};

/** The two sides a resolver has to bring together. */
type Collision = { readonly source: string; readonly onto: string };

/**
 * What collides: the task's own change with its target, or for the follow-up of a landing the
 * integration branch with the branch it lands in. Null when git no longer has a side.
 */
export async function collisionOf(
  world: World,
  attempt: Attempt,
  repository: Repository,
): Promise<Collision | null> {
  const { facts } = repository;
  const last = (await changesOf(world.ledger.db, attempt.task)).at(-1);
  const target = await facts.head(attempt.target);
  if (!target.ok || target.value === null) return null;
  if (last?.status === 'conflicted') {
    const source = await facts.resolve(last.head);
    return source.ok ? { source: source.value, onto: target.value } : null;
  }
  const onto = await landingHead(world, attempt, repository, 'landing_conflict');
  return onto === null ? null : { source: target.value, onto };
}

/** Where the branch stands that a failed landing was meant for. */
async function landingHead(
  world: World,
  attempt: Attempt,
  repository: Repository,
  kind: 'landing_conflict' | 'landing_red',
): Promise<string | null> {
  const { db } = world.ledger;
  const task = await taskAggregate.load(db, attempt.task);
  const answered = task === null ? null : followUpOf(task.state);
  if (answered?.kind !== kind) return null;
  const landing = await changeAggregate.load(db, answered.answers);
  const head = landing === null ? null : await repository.facts.head(landing.state.target);
  return head?.ok === true ? head.value : null;
}

/** A landing that was red is mended on what was red: the branch with its target merged in. */
export async function withLandingTarget(
  world: World,
  attempt: Attempt,
  repository: Repository,
  head: string,
): Promise<string> {
  const onto = await landingHead(world, attempt, repository, 'landing_red');
  if (onto === null) return head;
  const text = { message: `Merge what ${attempt.convoy} lands in`, at: attempt.createdAt };
  const merged = await repository.merges.build('merge', head, onto, text);
  return merged.ok ? merged.value.commit : head;
}

/** Opens the conflicted merge in a resolver's worktree; other roles have none. */
export async function openConflict(
  world: World,
  attempt: Attempt,
  repository: Repository,
  worktree: Worktree,
): Promise<Result<OpenConflict | null, string>> {
  if (attempt.role !== 'resolver') return ok(null);
  const sides = await collisionOf(world, attempt, repository);
  if (sides === null) return ok(null);
  const { source, onto } = sides;
  const merge = await repository.worktrees.startMerge(worktree, onto);
  if (!merge.ok) return err(`the merge could not be opened: ${merge.error.kind}`);
  return ok({
    onto,
    files: merge.value.conflicts,
    ours: await commitsOf(repository, onto, source),
    theirs: await commitsOf(repository, source, onto),
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
