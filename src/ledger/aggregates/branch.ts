import { type Branch, type BranchEvent, evolveBranch } from '../../domain/remote/branch.ts';
import { rowAggregate } from './row-store.ts';

/** A branch of our own and its copy on the remote. */
export const branchAggregate = rowAggregate<Branch, BranchEvent>({
  table: 'branch',
  columns: ['status', 'repo', 'convoy'],
  evolve: evolveBranch,
  row: ({ id, status, repo, convoy }) => ({ id, status, repo, convoy }),
});
