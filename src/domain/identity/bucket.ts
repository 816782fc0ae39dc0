import type { Instant } from '../work/ids.ts';

/** How often somebody may ask: `burst` at once, then `perSecond`. */
export type Rate = { readonly burst: number; readonly perSecond: number };

export type Bucket = { readonly left: number; readonly at: Instant };

export type Taken = { readonly bucket: Bucket; readonly waitMs: number };

/** Takes one from a bucket that fills with time; `waitMs` above zero means there was none. */
export function take(bucket: Bucket | undefined, rate: Rate, now: Instant): Taken {
  const before = bucket ?? { left: rate.burst, at: now };
  // A clock that was set back must not empty the bucket.
  const passed = Math.max(0, now - before.at);
  const filled = Math.min(rate.burst, before.left + (passed * rate.perSecond) / 1000);
  if (filled >= 1) return { bucket: { left: filled - 1, at: now }, waitMs: 0 };
  return {
    bucket: { left: filled, at: now },
    waitMs: Math.ceil(((1 - filled) * 1000) / rate.perSecond),
  };
}
