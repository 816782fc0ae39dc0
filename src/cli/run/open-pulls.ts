import type { ConvoyJson } from '../../contract/schemas/convoy.ts';

/** What becomes of the pull requests of a convoy that has ended. */
export function openPulls({ pull_requests: pulls, id }: ConvoyJson): string[] {
  const open = pulls.filter(({ state }) => state === 'open' || state === 'intended');
  const named = open.map(
    ({ number, url, branch, closing }) =>
      `  #${number ?? '?'} ${url ?? branch}${closing ? ' (is being closed)' : ''}`,
  );
  if (open.length === 0) return [];
  const left = open.some(({ closing }) => !closing);
  return [
    left ? 'Pull requests that stay open:' : 'Pull requests:',
    ...named,
    ...(left ? [`convoy cancel ${id} --close-prs closes them.`] : []),
  ];
}
