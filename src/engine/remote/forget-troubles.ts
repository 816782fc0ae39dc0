import { repoName } from '../../domain/work/ids.ts';
import { repoAggregate } from '../../ledger/aggregates/repo.ts';
import { pendingConvoys, reposWithUnsent, troubledRepos } from '../../ledger/queries/branches.ts';
import { ok } from '../../lib/result.ts';
import { type Publishing, recordAs } from './publishing.ts';

/**
 * A trouble that a person has declared over is not waited for any longer, and one that nothing waits for
 * any more is none: nobody would ever find out that it has passed.
 */
export async function forgetTroubles(place: Publishing): Promise<void> {
  const { world, settings, memory } = place;
  const { db } = world.ledger;
  const troubled = await troubledRepos(db);
  for (const repo of memory.origins.keys()) {
    if (troubled.includes(repo)) continue;
    memory.origins.delete(repo);
    memory.convoys.clear();
  }
  if (troubled.length === 0) return;
  const unsent = await reposWithUnsent(db);
  const isPending = (await pendingConvoys(db)).length > 0;
  for (const repo of troubled) {
    const isLocal = (settings.repos[repo]?.delivery ?? 'local') === 'local';
    if (!isLocal && (isPending || unsent.includes(repo))) continue;
    await recordAs(place, async (tx) => {
      await tx.record(repoAggregate, repo, [{ type: 'origin-recovered', name: repoName(repo) }]);
      return ok(null);
    });
  }
}
