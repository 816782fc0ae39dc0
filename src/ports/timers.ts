/** Waits by the monotonic clock: setting the time of day makes none of them shorter or longer. */
export type Timers = {
  /** Milliseconds that only grow. */
  monotonic(): number;
  /** Runs something once, later; the answer takes it back. */
  after(ms: number, run: () => void): () => void;
};

/** A signal that aborts after a while, unless it is let go before. */
export function deadline(
  timers: Timers,
  ms: number,
): { readonly signal: AbortSignal; readonly letGo: () => void } {
  const late = new AbortController();
  const letGo = timers.after(ms, () => late.abort(new Error(`${ms} ms are over`)));
  return { signal: late.signal, letGo };
}
