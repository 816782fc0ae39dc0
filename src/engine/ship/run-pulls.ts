import type { Run } from '../../domain/ship/run/run.ts';
import { runList } from '../../ledger/queries/runs.ts';
import { approveMerged, openedBy } from './pull-request-stage.ts';
import type { ShipWorld } from './world.ts';

/** When each waiting run's pull request is looked at next. */
export type PullLooks = Map<string, { readonly dueAt: number; readonly waitMs: number }>;

const FIRST_LOOK_MS = 15_000;
const LONGEST_LOOK_MS = 600_000;

/**
 * Runs that wait for the merge of their pull request while nobody drives them: one that a person
 * merged on the forge goes on. Waiting for days costs a look every ten minutes.
 */
export async function noticeMerged(world: ShipWorld, looks: PullLooks, now: number): Promise<void> {
  const waiting = await runList(world.ledger.db, { status: ['awaiting_approval'], limit: 200 });
  for (const run of waiting) {
    if (run.waiting?.kind !== 'merge_pr') continue;
    const last = looks.get(run.id);
    if (last !== undefined && last.dueAt > now) continue;
    const first = world.lookMs ?? FIRST_LOOK_MS;
    const waitMs = last === undefined ? first : Math.min(LONGEST_LOOK_MS, last.waitMs * 1.5);
    looks.set(run.id, { dueAt: now + waitMs, waitMs });
    await lookAt(world, run);
  }
}

async function lookAt(world: ShipWorld, run: Run): Promise<void> {
  const opened = openedBy(run);
  const plan = await world.plans.read(run.plan);
  if (opened === null || !plan.ok) return;
  const forge = await forgeAt(world, plan.value.repo.path);
  const state = await forge?.read(opened.number);
  if (state?.ok === true && state.value.state === 'merged')
    await approveMerged(world, run.id, state.value.endedBy);
}

async function forgeAt({ tools }: ShipWorld, root: string) {
  const described = await (await tools.repository(root))?.facts.describe();
  if (described?.ok !== true) return null;
  const url = described.value.remotes.find(({ name }) => name === 'origin')?.url;
  const forge = url === undefined ? null : await tools.forges.open(url);
  return forge?.ok === true ? forge.value : null;
}
