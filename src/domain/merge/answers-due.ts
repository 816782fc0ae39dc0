import { medianOf } from '../../lib/median.ts';

/** What is known about how long gate runs take, and about those under way; all by one clock. */
export type Pace = {
  readonly now: number;
  /** When each run under way began. */
  readonly begun: readonly number[];
  /** How long the last ones took that gave an answer. */
  readonly took: readonly number[];
};

/** Answers that come within this share of a gate run are worth waiting for, and no longer than that. */
const PATIENCE = 0.2;
/** Where half of the runs are further off the usual time than this share of it, nobody knows when one ends. */
const IRREGULAR = 0.15;

/**
 * Until when answers are about to come, or null where none is. Runs that begin together end together:
 * the first answer says little about what to verify next, all of them say it well. So slots stay empty for a
 * moment rather than being filled with runs that the next answer makes pointless.
 */
export function answersDueUntil({ now, begun, took }: Pace): number | null {
  const usual = medianOf(took);
  if (usual === null) return null;
  const spread = medianOf(took.map((ms) => Math.abs(ms - usual))) ?? 0;
  if (spread > IRREGULAR * usual) return null;
  const due = begun
    .filter((at) => at + usual <= now + PATIENCE * usual)
    .map((at) => at + (1 + PATIENCE) * usual)
    .filter((until) => until > now);
  return due.length === 0 ? null : Math.max(...due);
}
