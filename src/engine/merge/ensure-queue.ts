import { type Queue, queueId } from '../../domain/merge/queue.ts';
import { repoName } from '../../domain/work/ids.ts';
import { queueAggregate } from '../../ledger/aggregates/queue.ts';
import { ok } from '../../lib/result.ts';
import { ENGINE } from '../world.ts';
import type { Place } from './queue-run.ts';

/** The queue of a repo and target, which begins with its first change. */
export async function ensureQueue({ world, repo, target, settings }: Place): Promise<Queue> {
  const id = queueId(repo, target);
  const stored = await queueAggregate.load(world.ledger.db, id);
  if (stored !== null) return stored.state;
  const made = await world.ledger.write(ENGINE, async (tx) => {
    const again = await tx.load(queueAggregate, id);
    if (again !== null) return ok(again.state);
    return ok(
      await tx.record(queueAggregate, id, [{ type: 'queue-opened', repo: repoName(repo), target }]),
    );
  });
  if (!made.ok) throw new Error(`The queue ${id} of ${settings.prefix} could not be opened`);
  return made.value;
}
