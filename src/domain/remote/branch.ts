import { unreachable } from '../../lib/unreachable.ts';
import type { ConvoyId, Instant, RepoName } from '../work/ids.ts';
import { type Trouble, troubled } from './trouble.ts';

export type BranchStatus = 'waiting' | 'pushed' | 'leaving' | 'removed' | 'left';

/**
 * A branch of Convoy's own, and its copy on the remote of its repo.
 *
 *   waiting ⇄ pushed        (its newest commit is there, or is to be)
 *      └──► leaving ──► removed
 *                └────► left    (somebody else works on it: it stays)
 *
 * What is wanted is recorded before anything is sent. After a crash the remote says what became of it.
 */
export type Branch = {
  readonly id: string;
  readonly repo: RepoName;
  readonly name: string;
  readonly convoy: ConvoyId;
  readonly status: BranchStatus;
  /** The newest commit that was to be there; all before it is in its history. */
  readonly last: string;
  /** The commit that we know to be there. */
  readonly pushed: string | null;
  /** Held: there are commits of somebody else on it, which are never overwritten. */
  readonly trouble: Trouble | null;
};

export type BranchEvent =
  | {
      readonly type: 'branch-wanted';
      readonly repo: RepoName;
      readonly name: string;
      readonly convoy: ConvoyId;
      readonly commit: string;
    }
  | { readonly type: 'branch-pushed'; readonly commit: string }
  | {
      readonly type: 'branch-troubled';
      readonly reason: string;
      readonly held: boolean;
      readonly repeated: boolean;
    }
  | { readonly type: 'branch-unwanted' }
  | { readonly type: 'branch-removed' }
  | { readonly type: 'branch-left'; readonly reason: string };

export const branchId = (repo: string, name: string): string => `${repo}:${name}`;

/** A commit that is to be on the remote; nothing when that is known already. */
export function wantBranch(
  known: Branch | null,
  wish: Pick<Branch, 'repo' | 'name' | 'convoy'> & { readonly commit: string },
): BranchEvent[] {
  const { repo, name, convoy, commit } = wish;
  const isKnown = known !== null && isWanted(known) && known.last === commit;
  return isKnown ? [] : [{ type: 'branch-wanted', repo, name, convoy, commit }];
}

export const isWanted = ({ status }: Branch): boolean =>
  status === 'waiting' || status === 'pushed';

export function evolveBranch(branch: Branch | null, event: BranchEvent, at: Instant): Branch {
  if (event.type === 'branch-wanted') return wanted(branch, event);
  if (branch === null) throw new Error(`The first event of a branch is ${event.type}`);
  switch (event.type) {
    case 'branch-pushed': {
      const { commit } = event;
      const isNewest = branch.last === commit;
      const status = isWanted(branch) ? (isNewest ? 'pushed' : 'waiting') : branch.status;
      return { ...branch, pushed: commit, status, trouble: null };
    }
    case 'branch-troubled':
      return { ...branch, trouble: troubled(branch.trouble, event, at) };
    case 'branch-unwanted':
      return { ...branch, status: 'leaving', trouble: null };
    case 'branch-removed':
      return { ...branch, status: 'removed', pushed: null, trouble: null };
    case 'branch-left': {
      const seen = { reason: event.reason, held: true, repeated: false };
      return { ...branch, status: 'left', pushed: null, trouble: troubled(null, seen, at) };
    }
    default:
      return unreachable(event);
  }
}

function wanted(
  branch: Branch | null,
  { repo, name, convoy, commit }: Extract<BranchEvent, { type: 'branch-wanted' }>,
): Branch {
  const pushed = branch?.pushed ?? null;
  return {
    id: branchId(repo, name),
    repo,
    name,
    convoy,
    status: pushed === commit ? 'pushed' : 'waiting',
    last: commit,
    pushed,
    trouble: branch !== null && isWanted(branch) ? branch.trouble : null,
  };
}
