/** Work that is about to be queued, as far as a queue is concerned. */
export type Crowd = {
  /** Attempts that have ended and whose work is being brought in for this queue. */
  readonly coming: number;
  /** How long the first of them has been awaited. */
  readonly sinceMs: number;
};

/** The longest that a gate run is put off for those who are coming. */
export const LONGEST_GATHER_MS = 250;

/**
 * Whether gate runs wait a moment for more work. Agents that end together are queued one after the other;
 * begun at once, the first few take every slot and the others wait a whole gate run for nothing. Where
 * there is a slot for each, nobody waits.
 */
export const gathers = (queued: number, slots: number, { coming, sinceMs }: Crowd): boolean =>
  coming > 0 && queued + coming > slots && sinceMs < LONGEST_GATHER_MS;
