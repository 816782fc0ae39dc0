import type { ForgeProblem, NotMergeable } from '../../../ports/forge.ts';

/** What an answer of GitHub's that is no success tells us. */
export type Refusal = {
  readonly status: number;
  readonly message: string;
  readonly headers: Readonly<Record<string, string | number | undefined>>;
};

const LEAST_WAIT_MS = 60_000;

/** Names a refusal; `now` is needed because GitHub sometimes says only how long to wait. */
export function problemOf(refusal: Refusal, doing: 'merge' | 'other', now: number): ForgeProblem {
  const { status, message: detail } = refusal;
  const until = limitedUntil(refusal, now);
  if (until !== null) return { kind: 'rate_limited', until, detail };
  if (doing === 'merge' && MERGE_REFUSALS.includes(status) && !isTokenTrouble(refusal))
    return { kind: 'not_mergeable', because: whyNot(status, detail), detail };
  if (status === 401 || status === 403) return { kind: 'not_authorised', detail };
  if (status === 404 || status === 410 || status === 301) return { kind: 'not_found', detail };
  return status >= 500
    ? { kind: 'unreachable', detail: `${status} ${detail}` }
    : { kind: 'invalid', detail };
}

/** GitHub says 405 or 422 for most, 409 for a head that moved, and 403 for some rules. */
const MERGE_REFUSALS = [403, 405, 409, 422];

const isTokenTrouble = ({ status, message }: Refusal): boolean =>
  status === 403 && /not accessible by|bad credentials|must have (push|admin)|SAML/i.test(message);

/**
 * When asking is allowed again. The first limit counts requests by the hour, the second guards against
 * bursts; both may come as 403 or 429.
 */
function limitedUntil({ status, message, headers }: Refusal, now: number): number | null {
  if (status !== 429 && status !== 403) return null;
  const after = numberIn(headers['retry-after']);
  if (after !== null) return now + after * 1000;
  const reset = numberIn(headers['x-ratelimit-reset']);
  if (numberIn(headers['x-ratelimit-remaining']) === 0 && reset !== null)
    return Math.max(now, reset * 1000);
  return status === 429 || /secondary rate limit|abuse detection/i.test(message)
    ? now + LEAST_WAIT_MS
    : null;
}

function numberIn(header: string | number | undefined): number | null {
  const number = header === undefined || header === '' ? NaN : Number(header);
  return Number.isFinite(number) && number >= 0 ? number : null;
}

function whyNot(status: number, detail: string): NotMergeable {
  if (status === 409 || /head branch was modified|expected head sha/i.test(detail))
    return 'head_moved';
  if (
    /protected branch|required status|review is required|reviews? (are|is) required|rule violation|changes must be made|repository rule|not authorized to push/i.test(
      detail,
    )
  )
    return 'protected';
  if (
    /merge commits are not allowed|squash merges are not allowed|rebase merges are not allowed/i.test(
      detail,
    )
  )
    return 'method';
  if (/conflict/i.test(detail)) return 'conflict';
  return 'other';
}
