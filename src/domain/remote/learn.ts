import { type Branch, type BranchEvent, isWanted } from './branch.ts';
import { newTrouble, OFTEN } from './trouble.ts';

/** What an exchange with the remote showed about a branch. */
export type Learnt =
  | { readonly kind: 'as-wished' }
  | { readonly kind: 'foreign' }
  | { readonly kind: 'refused'; readonly detail: string };

/**
 * What to record of it. `sent` is the branch as it was when it was sent; it may have moved on since, and
 * `tries` counts how often in a row it was not as wished.
 */
export function learnt(now: Branch, sent: Branch, what: Learnt, tries: number): BranchEvent[] {
  if (what.kind === 'as-wished') return arrived(now, sent);
  const reason =
    what.kind === 'foreign'
      ? `there are commits of somebody else on ${sent.name}`
      : `origin refuses ${isWanted(sent) ? '' : 'to delete '}${sent.name}: ${what.detail}`;
  const isLeaving = now.status === 'leaving' && !isWanted(sent);
  // Nobody's work is lost by a branch that stays.
  if (isLeaving && (what.kind === 'foreign' || tries >= OFTEN))
    return [{ type: 'branch-left', reason }];
  const news = newTrouble(now.trouble, { reason, held: what.kind === 'foreign' }, tries);
  return news === null || isWanted(now) !== isWanted(sent)
    ? []
    : [{ type: 'branch-troubled', ...news }];
}

function arrived(now: Branch, sent: Branch): BranchEvent[] {
  if (isWanted(sent))
    return now.pushed === sent.last && now.trouble === null
      ? []
      : [{ type: 'branch-pushed', commit: sent.last }];
  // Wanted again meanwhile: the next push finds that it is gone.
  return now.status === 'leaving' ? [{ type: 'branch-removed' }] : [];
}
