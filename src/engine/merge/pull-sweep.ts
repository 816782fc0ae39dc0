import { hasEnded } from '../../domain/convoy/convoy.ts';
import type { Change } from '../../domain/merge/change.ts';
import type { Pull } from '../../domain/merge/pull.ts';
import { convoyAggregate } from '../../ledger/aggregates/convoy.ts';
import { changesWithOpenPulls } from '../../ledger/queries/changes.ts';
import { type Forge, forgeWords } from '../../ports/forge.ts';
import { crashPoint } from '../crash-points.ts';
import { repositoryOf } from '../targets.ts';
import type { World } from '../world.ts';
import { tell } from './pull-place.ts';
import { originUrl } from './push.ts';

/** When the next try is due by the monotonic clock, by change; lost without harm. */
export type SweepMemory = Map<string, number>;

const RETRY_MS = 30_000;

/**
 * Closes the pull requests of changes that left the queue: reworked, conflicted, taken back. What a
 * person gave up with its convoy is closed only if that person said so.
 */
export async function sweepPulls(world: World, memory: SweepMemory): Promise<void> {
  const settings = world.settings.read();
  if (!settings.ok) return;
  const left = await changesWithOpenPulls(world.ledger.db);
  for (const { change, pull, succeeded } of left) {
    if (succeeded || (memory.get(change.id) ?? 0) > world.timers.monotonic()) continue;
    const reason = await closingReason(world, change, pull);
    if (reason === null) continue;
    memory.set(change.id, world.timers.monotonic() + RETRY_MS);
    const repo = settings.value.repos[change.repo];
    const repository = await repositoryOf(world, repo);
    const url = repository.ok ? await originUrl(repository.value) : null;
    const forge = url === null ? null : await world.forges.open(url);
    if (forge?.ok === true) await close(world, forge.value, change, pull, reason);
  }
}

async function closingReason(world: World, change: Change, pull: Pull): Promise<string | null> {
  if (pull.closing !== null) return pull.closing;
  const convoy =
    change.convoy === null ? null : await convoyAggregate.load(world.ledger.db, change.convoy);
  if (convoy !== null && hasEnded(convoy.state.status)) return null;
  switch (change.status) {
    case 'red':
      return `gate ${change.failure.gate} fails on top of ${change.target}; the task is worked on again`;
    case 'conflicted':
      return `it conflicts with ${change.target}; the task is worked on again`;
    case 'withdrawn':
      return change.reason;
    default:
      return null;
  }
}

async function close(
  world: World,
  forge: Forge,
  change: Change,
  pull: Pull,
  reason: string,
): Promise<void> {
  const found = await forge.find(pull.branch);
  if (!found.ok) return world.log(`${change.id}: ${forgeWords(found.error)}`);
  const there = found.value;
  if (there?.state === 'open' && !(await closeOpen(world, forge, change, there.number, reason)))
    return;
  const state = there?.state === 'merged' ? 'merged' : 'closed';
  const by = there?.state === 'open' ? 'convoy' : (there?.endedBy ?? null);
  await tell(world, change.id, { type: 'see-pull', state, by, waits: null, stuck: false });
}

async function closeOpen(
  world: World,
  forge: Forge,
  change: Change,
  number: number,
  reason: string,
): Promise<boolean> {
  await tell(world, change.id, { type: 'close-pull', reason });
  // Said first: whoever is told of the closing should find why.
  const said = await forge.comment(number, `Convoy closes this: ${reason}.`);
  const closed = said.ok ? await forge.close(number) : said;
  crashPoint('pull-closed');
  if (!closed.ok) world.log(`${change.id}: ${forgeWords(closed.error)}`);
  return closed.ok;
}
