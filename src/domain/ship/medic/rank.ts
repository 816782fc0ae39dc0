import type { Candidate, Confidence, Tier } from './diagnosis.ts';

const NEARNESS: Record<Tier, number> = { cause: 2, fault: 1, symptom: 0 };
const BUCKET = 10;

/**
 * Puts the likeliest root cause first.
 *
 * A cause beats the fault that follows from it, a fault beats a symptom; among equals the clearer
 * one and then the earlier one wins, because later errors are mostly echoes.
 */
export function rank(candidates: readonly Candidate[]): Candidate[] {
  return candidates.toSorted(
    (a, b) =>
      NEARNESS[b.tier] - NEARNESS[a.tier] ||
      Math.floor(b.score / BUCKET) - Math.floor(a.score / BUCKET) ||
      earlier(a, b) ||
      b.score - a.score ||
      a.subject.localeCompare(b.subject),
  );
}

const earlier = (a: Candidate, b: Candidate): number => (a.at === b.at ? 0 : a.at - b.at);

/** How sure we may be: by the winner's score, and by whether others point elsewhere or agree. */
export function confidenceOf(winner: Candidate, ranked: readonly Candidate[]): Confidence {
  const others = ranked.filter((other) => other !== winner);
  const agrees = others.some(
    (other) => other.rule !== winner.rule && other.subject === winner.subject,
  );
  const rival = others.some(
    (other) =>
      other.tier === winner.tier && other.subject !== winner.subject && other.score >= winner.score,
  );
  const grounded = winner.evidence.some((reference) => reference.file !== undefined);
  const score = winner.score + (agrees ? 10 : 0) + (grounded ? 5 : 0) - (rival ? 10 : 0);
  if (winner.tier === 'symptom') return score >= 60 ? 'medium' : 'low';
  return score >= 85 ? 'high' : score >= 65 ? 'medium' : 'low';
}
