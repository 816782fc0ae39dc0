// One in twenty rehearsals of a service that is exactly at its limit may be called slow.
const FALSE_ALARM = 0.05;
const FEWEST = 2;

/**
 * Whether this many events of so many are more than a share would give by chance.
 *
 * A p99 over 60 samples is its slowest one, so a single hiccup would decide. Counting how many
 * samples lie beyond the limit and asking how likely that is at one in a hundred does not have
 * that flaw, and it needs no separate minimum of samples.
 */
export function isSustained(events: number, samples: number, share: number): boolean {
  if (events < FEWEST || samples <= 0) return false;
  if (events >= samples) return true;
  return tail(events, samples, share) < FALSE_ALARM;
}

/** P(X ≥ events) for a binomial X. */
function tail(events: number, samples: number, share: number): number {
  if (share <= 0) return 0;
  if (share >= 1) return 1;
  let term = samples * Math.log1p(-share);
  let below = Math.exp(term);
  for (let k = 1; k < events; k++) {
    term += Math.log((samples - k + 1) / k) + Math.log(share) - Math.log1p(-share);
    below += Math.exp(term);
  }
  return Math.max(0, 1 - below);
}
