import type { Instant } from '../work/ids.ts';

export const DELIVERY_STATUSES = [
  'pending',
  'sending',
  'delivered',
  'unconfirmed',
  'dead',
] as const;
export type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

/** What became of one send. */
export type Sent =
  | { readonly kind: 'delivered' }
  /** Surely not taken; another try may succeed. */
  | { readonly kind: 'failed'; readonly reason: string }
  /** Surely not taken, and asking again is no use. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** It may have arrived. */
  | { readonly kind: 'unsure'; readonly reason: string };

/**
 * Where a delivery stands after a send.
 *
 *   pending ──► sending ──► delivered
 *      ▲           ├──────► unconfirmed   (may have arrived, and must not arrive twice)
 *      └─ backoff ─┴──────► dead          (refused, or its tries are spent)
 */
export type Settled =
  | { readonly status: 'delivered' }
  | { readonly status: 'pending'; readonly nextAt: Instant; readonly error: string }
  | { readonly status: 'unconfirmed' | 'dead'; readonly error: string };

export const MOST_TRIES = 10;
const FIRST_WAIT_MS = 5_000;
const LONGEST_WAIT_MS = 60 * 60_000;

/** `tries` counts this one; `repeatable`: the far end knows a repeated message by its id. */
export function afterSend(
  sent: Sent,
  delivery: { readonly tries: number; readonly repeatable: boolean },
  at: Instant,
  chance: number,
): Settled {
  if (sent.kind === 'delivered') return { status: 'delivered' };
  const { reason: error } = sent;
  if (sent.kind === 'refused') return { status: 'dead', error };
  if (sent.kind === 'unsure' && !delivery.repeatable) return { status: 'unconfirmed', error };
  if (delivery.tries >= MOST_TRIES) return { status: 'dead', error };
  return { status: 'pending', nextAt: at + waitAfter(delivery.tries, chance), error };
}

/**
 * Where a delivery stands whose sender is gone: sent again only where that cannot be seen twice. A
 * crash is no answer, so it is not counted as a try.
 */
export function afterCrash(repeatable: boolean, at: Instant): Settled {
  const error = 'Convoy stopped between sending and writing down the answer';
  return repeatable ? { status: 'pending', nextAt: at, error } : { status: 'unconfirmed', error };
}

/** Doubles each time, give or take a fifth. */
function waitAfter(tries: number, chance: number): number {
  const wait = Math.min(FIRST_WAIT_MS * 2 ** (tries - 1), LONGEST_WAIT_MS);
  return Math.round(wait * (0.8 + 0.4 * chance));
}
