import { type Attempt, type Cost, decideAttempt } from '../domain/work/attempt.ts';
import { silenceDueMs, type SilenceTier, silenceTier } from '../domain/work/silence.ts';
import { attemptAggregate } from '../ledger/aggregates/attempt.ts';
import { err, ok } from '../lib/result.ts';
import type { Transcript } from '../ports/agent.ts';
import { ENGINE, type World } from './world.ts';

const LOOK_MS = 200;
const LONGEST_LOOK_MS = 60_000;

/** A limit that was passed. */
type Broken = { readonly kind: 'over-time' | 'silent'; readonly limitMs: number };

/** What an agent says it has used. */
export const costOf = ({ costUsd, tokens }: Transcript): Cost => ({
  usd: costUsd ?? 0,
  tokens: tokens.input + tokens.output,
});

type Guard = { heard(): void; readonly broken: Promise<Broken> };

/**
 * Time and silence, by the monotonic clock. A tool call under way, or a question to a person, stops the
 * clock of silence.
 */
export function guardTime(
  world: World,
  attempt: Attempt,
  limits: { timeMs: number; silenceMs: number },
  seen: {
    readonly transcript: () => Transcript;
    /** Until when it waited for a person. */
    readonly waitedUntil: () => number;
  },
  over: AbortSignal,
): Guard {
  const ran = Math.max(0, world.now() - (attempt.startedAt ?? world.now()));
  const { timers } = world;
  const start = timers.monotonic() - ran;
  let last = timers.monotonic();
  const taken = [...(attempt.silences ?? [])];
  const broken = new Promise<Broken>((resolve) => {
    let letGo: (() => void) | null = null;
    const look = (): void => {
      const now = timers.monotonic();
      if (now - start > limits.timeMs)
        return resolve({ kind: 'over-time', limitMs: limits.timeMs });
      if (seen.transcript().openCalls.length > 0) last = now;
      last = Math.max(last, seen.waitedUntil());
      const tier = silenceTier(now - last, limits.silenceMs, taken);
      if (tier !== null) {
        taken.push(tier);
        noteSilence(world, attempt, tier, now - last);
      }
      if (tier === 'stop') return resolve({ kind: 'silent', limitMs: limits.silenceMs });
      // Nothing can be due before this, whatever is heard until then.
      const silent = last + silenceDueMs(limits.silenceMs, taken);
      const soonest = Math.min(start + limits.timeMs, silent) - now;
      letGo = timers.after(Math.min(LONGEST_LOOK_MS, Math.max(LOOK_MS, soonest)), look);
    };
    look();
    over.addEventListener('abort', () => letGo?.(), { once: true });
  });
  return {
    heard: () => {
      last = timers.monotonic();
    },
    broken,
  };
}

/** In the background: whether it can be written down changes nothing about the silence. */
function noteSilence(world: World, attempt: Attempt, tier: SilenceTier, silentMs: number): void {
  world.ledger
    .write(ENGINE, async (tx) => {
      const stored = await tx.load(attemptAggregate, attempt.id);
      const command = { type: 'note-silence', tier, silentMs: Math.round(silentMs) } as const;
      const decision = stored === null ? null : decideAttempt(stored.state, command);
      if (decision?.ok !== true) return err('over');
      await tx.record(attemptAggregate, attempt.id, decision.value);
      return ok(null);
    })
    .catch((error: unknown) => world.log(`${attempt.id}: ${String(error)}`));
}
