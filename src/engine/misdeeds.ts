import { type Attempt, decideAttempt } from '../domain/work/attempt.ts';
import type { AttemptId } from '../domain/work/ids.ts';
import { attemptAggregate } from '../ledger/aggregates/attempt.ts';
import type { Tx } from '../ledger/transaction.ts';
import { ok } from '../lib/result.ts';
import type { Transcript } from '../ports/agent.ts';
import { repositoryOf } from './targets.ts';
import { ENGINE, type World } from './world.ts';

const MOST_NAMED = 5;

/** Notes what was written into the user's own checkout while an agent ran. None of it is part of its change. */
export async function noteStrays(world: World, attempt: Attempt): Promise<void> {
  const found = await writtenOutside(world, attempt);
  if (found.length === 0) return;
  await world.ledger.write(ENGINE, async (tx) => {
    await noteMisdeeds(tx, attempt.id, found);
    return ok(null);
  });
}

/** Each is noted once. */
export async function noteMisdeeds(
  tx: Tx,
  attempt: AttemptId,
  found: readonly string[],
): Promise<void> {
  for (const text of found) {
    const stored = await tx.load(attemptAggregate, attempt);
    const decision =
      stored === null ? null : decideAttempt(stored.state, { type: 'note-misdeed', text });
    if (decision?.ok === true) await tx.record(attemptAggregate, attempt, decision.value);
  }
}

/** What an agent tried outside its worktree and was refused, as its output tells. */
export const refusedOutside = (transcript: Transcript | null): string[] =>
  (transcript?.refusals ?? [])
    .filter(({ text }) => text.includes('outside the worktree'))
    .slice(0, MOST_NAMED)
    .map(({ text }) => `refused: ${text.slice(0, 500)}`);

async function writtenOutside(world: World, attempt: Attempt): Promise<string[]> {
  const settings = world.settings.read();
  if (!settings.ok || attempt.startedAt === null) return [];
  const repository = await repositoryOf(world, settings.value.repos[attempt.repo]);
  if (!repository.ok) return [];
  const strays = await repository.value.landing.strays?.(attempt.startedAt);
  if (strays?.ok !== true || strays.value.length === 0) return [];
  const named = strays.value.slice(0, MOST_NAMED).join(', ');
  const more = strays.value.length - MOST_NAMED;
  // Somebody else may have written there at the same time, so this is what was seen and no more.
  return [
    `written in the checkout of ${attempt.repo} while it ran: ${named}${more > 0 ? ` and ${more} more` : ''}`,
  ];
}
