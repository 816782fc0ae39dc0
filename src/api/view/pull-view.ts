import type { PullRequestJson } from '../../contract/schemas/pull-request.ts';
import type { ConvoyJson } from '../../contract/schemas/convoy.ts';
import type { Change } from '../../domain/merge/change.ts';
import type { Pull } from '../../domain/merge/pull.ts';

export const pullView = ({
  number,
  url,
  branch,
  head,
  state,
  waits,
  closing,
}: Pull): PullRequestJson => ({
  number,
  url,
  branch,
  head,
  state,
  waits,
  closing: closing !== null && state === 'open',
});

/** The pull requests of a convoy; of several changes on one branch the last one speaks. */
export function pullsOf(changes: readonly Change[]): ConvoyJson['pull_requests'] {
  const byBranch = new Map<string, ConvoyJson['pull_requests'][number]>();
  for (const { id, task, repo, pull } of changes)
    if (pull !== undefined)
      byBranch.set(`${repo} ${pull.branch}`, { ...pullView(pull), change: id, task, repo });
  return [...byBranch.values()];
}
