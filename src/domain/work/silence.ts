/**
 * What is done about an agent that says nothing: it is noted, then a person is told, then it is ended.
 * The steps come at an eighth, at the half and at the whole of what it is allowed.
 */
export const SILENCE_TIERS = ['warn', 'escalate', 'stop'] as const;
export type SilenceTier = (typeof SILENCE_TIERS)[number];

const SHARES: Readonly<Record<SilenceTier, number>> = { warn: 1 / 8, escalate: 1 / 2, stop: 1 };

/** The furthest step that is due and was not taken yet; each is taken once. */
export function silenceTier(
  silentMs: number,
  limitMs: number,
  taken: readonly SilenceTier[],
): SilenceTier | null {
  const due = SILENCE_TIERS.filter((tier) => silentMs > limitMs * SHARES[tier]).at(-1);
  return due === undefined || taken.includes(due) ? null : due;
}

/** After how much silence the next step is due. */
export function silenceDueMs(limitMs: number, taken: readonly SilenceTier[]): number {
  const furthest = Math.max(-1, ...taken.map((tier) => SILENCE_TIERS.indexOf(tier)));
  return limitMs * SHARES[SILENCE_TIERS[furthest + 1] ?? 'stop'];
}
