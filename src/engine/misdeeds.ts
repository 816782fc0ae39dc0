import { type Attempt, decideAttempt } from '../domain/work/attempt.ts';
import { attemptAggregate } from '../ledger/aggregates/attempt.ts';
import { ok } from '../lib/result.ts';
import type { Transcript } from '../ports/agent.ts';
import { repositoryOf } from './targets.ts';
import { ENGINE, type World } from './world.ts';

const MOST_NAMED = 5;

/**
 * Notes what an agent did outside its worktree, as far as it can be seen: what it was refused, and
 * what was written into the user's own checkout while it ran. Nothing of that is part of its change.
 */
export async function noteMisdeeds(
  world: World,
  attempt: Attempt,
  transcript: Transcript | null,
): Promise<void> {
  const found = [...refusedOutside(transcript), ...(await writtenOutside(world, attempt))];
  if (found.length === 0) return;
  await world.ledger.write(ENGINE, async (tx) => {
    for (const text of found) {
      const stored = await tx.load(attemptAggregate, attempt.id);
      const decision =
        stored === null ? null : decideAttempt(stored.state, { type: 'note-misdeed', text });
      if (decision?.ok === true) await tx.record(attemptAggregate, attempt.id, decision.value);
    }
    return ok(null);
  });
}

const refusedOutside = (transcript: Transcript | null): string[] =>
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
