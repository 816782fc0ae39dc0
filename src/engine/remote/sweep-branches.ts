import { type Convoy, hasEnded } from '../../domain/convoy/convoy.ts';
import { mayBeOpen } from '../../domain/merge/pull.ts';
import { type Branch, isWanted } from '../../domain/remote/branch.ts';
import { branchAggregate } from '../../ledger/aggregates/branch.ts';
import { branchesOfConvoy, convoysOnRemotes } from '../../ledger/queries/branches.ts';
import { changesOfConvoy } from '../../ledger/queries/changes.ts';
import { convoysById } from '../../ledger/queries/convoy-list.ts';
import { ok } from '../../lib/result.ts';
import { crashPoint } from '../crash-points.ts';
import { type Publishing, recordAs } from './publishing.ts';

/**
 * Writes down that the branches of convoys that have ended are to leave the remotes. Those stay whose
 * convoy keeps its worktrees, and those that an open pull request is about: without its branch a forge
 * would close it.
 */
export async function sweepBranches(place: Publishing): Promise<void> {
  const { db } = place.world.ledger;
  const ids = await convoysOnRemotes(db);
  const ended = (ids.length === 0 ? [] : await convoysById(db, ids)).filter(mayLeave);
  for (const { id } of ended) {
    const open = new Set(
      (await changesOfConvoy(db, id)).flatMap(({ pull, status }) =>
        mayBeOpen(pull) && status !== 'merged' ? [pull.branch] : [],
      ),
    );
    const leaving = (await branchesOfConvoy(db, id)).filter(
      (branch) => isWanted(branch) && !open.has(branch.name),
    );
    if (leaving.length > 0) await unwant(place, leaving);
  }
}

const mayLeave = ({ status, keepWorktrees }: Convoy): boolean =>
  hasEnded(status) && keepWorktrees !== true;

async function unwant(place: Publishing, branches: readonly Branch[]): Promise<void> {
  await recordAs(place, async (tx) => {
    for (const { id } of branches)
      await tx.record(branchAggregate, id, [{ type: 'branch-unwanted' }]);
    return ok(null);
  });
  crashPoint('branch-unwanted');
}
