import type { ConvoyJson } from '../../contract/schemas/convoy.ts';
import { wrong } from './play.ts';
import { git } from './programs.ts';

/** What git itself says about the landing, whatever the ledger says. */
export type Proof = {
  readonly target: string;
  readonly commit: string;
  readonly tree: string;
  /** How many merged tasks git finds in the target. */
  readonly tasks_contained: number;
  readonly checkout_clean: boolean;
  readonly commits: readonly string[];
};

/** Asks git; anything that does not hold ends the demo. */
export async function proveLanding(repository: string, convoy: ConvoyJson): Promise<Proof> {
  const target = convoy.landings[0]?.target ?? 'main';
  const commit = convoy.landings[0]?.commit ?? (await git(repository, 'rev-parse', target));
  const merged = convoy.tasks.flatMap(({ merged_commit }) => merged_commit ?? []);
  // Fails when one is not an ancestor of the target.
  for (const one of [commit, ...merged])
    await git(repository, 'merge-base', '--is-ancestor', one, target);
  const dirt = await git(repository, 'status', '--porcelain');
  const head = await git(repository, 'rev-parse', 'HEAD');
  const reached = await git(repository, 'rev-parse', target);
  if (dirt !== '' || head !== reached)
    throw wrong('demo_checkout', 'The checkout does not show what has landed.', dirt);
  const log = await git(
    repository,
    'log',
    '--first-parent',
    '--format=%h %s',
    `${commit}^..${commit}^2`,
  );
  return {
    target,
    commit,
    tree: await git(repository, 'rev-parse', `${target}^{tree}`),
    tasks_contained: merged.length,
    checkout_clean: true,
    commits: [await git(repository, 'log', '-1', '--format=%h %s', commit), ...log.split('\n')],
  };
}
