import { type Bucket, type Rate, take } from '../../domain/identity/bucket.ts';
import type { TokenRole } from '../../domain/identity/identity.ts';
import type { Instant } from '../../domain/work/ids.ts';

/** People and their scripts come in bursts; an agent that asks this often is stuck in a loop. */
const PEOPLE: Rate = { burst: 2000, perSecond: 400 };
const AGENTS: Rate = { burst: 300, perSecond: 30 };
const FAILURES: Rate = { burst: 20, perSecond: 1 };

const MOST_KEYS = 10_000;

/** Counts requests; both answers are the milliseconds to wait, 0 when it may go on. */
export type Limits = {
  asked(key: string, role: TokenRole): number;
  failed(address: string): number;
};

export function limits(now: () => Instant): Limits {
  const asked = new Map<string, Bucket>();
  const failed = new Map<string, Bucket>();
  const from = (buckets: Map<string, Bucket>, key: string, rate: Rate): number => {
    const { bucket, waitMs } = take(buckets.get(key), rate, now());
    // Put back at the end: the first key is then the one that has been quiet longest.
    buckets.delete(key);
    buckets.set(key, bucket);
    const [quietest] = buckets.keys();
    if (buckets.size > MOST_KEYS && quietest !== undefined) buckets.delete(quietest);
    return waitMs;
  };
  return {
    asked: (key, role) =>
      from(asked, key, role === 'worker' || role === 'reviewer' ? AGENTS : PEOPLE),
    failed: (address) => from(failed, address, FAILURES),
  };
}
