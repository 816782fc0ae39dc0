import { isOrdering } from '../../domain/work/dependency.ts';
import type { ChangeId } from '../../domain/work/ids.ts';
import { liveAttempts } from '../../ledger/queries/attempts.ts';
import type { Place } from './queue-run.ts';

/** More would be a guess: places are shared with other convoys. */
const MOST = 8;

/**
 * While the gates run, worktrees are made ready for the tasks that wait for these changes. Nothing depends
 * on it: should the changes not land, the worktrees are made over for somebody else.
 */
export async function warmUp(
  { world, repository, repo }: Place,
  members: readonly ChangeId[],
  commit: string,
): Promise<void> {
  const settings = world.settings.read();
  if (!settings.ok) return;
  const { db } = world.ledger;
  // Without room nothing starts when this lands, and what starts later begins at another commit.
  const room = settings.value.workspace.maxParallel - (await liveAttempts(db)).length;
  if (room <= 0) return;
  const count = Math.min(MOST, room, await tasksBehind(db, repo, members));
  if (count > 0) await repository.worktrees.warm(commit, count);
}

async function tasksBehind(
  db: Place['world']['ledger']['db'],
  repo: string,
  members: readonly ChangeId[],
): Promise<number> {
  const rows = await db
    .selectFrom('change')
    .innerJoin('dependency', 'dependency.on_task', 'change.task')
    .innerJoin('task', 'task.id', 'dependency.task')
    .select(['task.id', 'dependency.kind'])
    .where('change.id', 'in', members)
    .where('task.repo', '=', repo)
    .where('task.status', '=', 'open')
    .execute();
  return new Set(rows.filter(({ kind }) => isOrdering(kind)).map(({ id }) => id)).size;
}
