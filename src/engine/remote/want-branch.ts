import { branchId, wantBranch } from '../../domain/remote/branch.ts';
import { type ConvoyId, repoName } from '../../domain/work/ids.ts';
import { branchAggregate } from '../../ledger/aggregates/branch.ts';
import { repoAggregate } from '../../ledger/aggregates/repo.ts';
import type { Tx } from '../../ledger/transaction.ts';
import type { World } from '../world.ts';

type Moved = {
  readonly repo: string;
  readonly branch: string;
  readonly convoy: ConvoyId;
  readonly commit: string;
};

/**
 * Writes down, with what moved the branch, that its commit is to be on the remote too. Nobody waits for
 * that; only the newest commit counts.
 */
export async function branchMoved(
  { settings }: World,
  tx: Tx,
  { repo, branch, convoy, commit }: Moved,
): Promise<void> {
  const read = settings.read();
  const delivery = read.ok ? read.value.repos[repo]?.delivery : undefined;
  if (delivery === undefined || delivery === 'local') return;
  const origin = (await tx.load(repoAggregate, repo))?.state.origin;
  if (origin === undefined) return;
  const id = branchId(repo, branch);
  const known = (await tx.load(branchAggregate, id))?.state ?? null;
  const events = wantBranch(known, { repo: repoName(repo), name: branch, convoy, commit });
  if (events.length > 0) await tx.record(branchAggregate, id, events);
}
