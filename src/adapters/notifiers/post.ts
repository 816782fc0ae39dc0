/** What came of a POST, as far as it says whether anything arrived. */
export type Posted =
  | { readonly kind: 'answered'; readonly status: number }
  | { readonly kind: 'not-reached'; readonly reason: string }
  | { readonly kind: 'broken-off'; readonly reason: string };

/** Posts JSON. Redirects are not followed: a signed message goes where its owner said. */
export async function postJson(
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
  timeoutMs: number,
): Promise<Posted> {
  try {
    const response = await fetch(url, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'user-agent': 'convoy', ...headers },
      redirect: 'manual',
      signal: AbortSignal.timeout(timeoutMs),
    });
    await response.body?.cancel().catch(() => {});
    return { kind: 'answered', status: response.status };
  } catch (error) {
    return troubleOf(error, timeoutMs);
  }
}

/** With these the request never left. */
const NOT_REACHED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

function troubleOf(error: unknown, timeoutMs: number): Posted {
  if (error instanceof Error && error.name === 'TimeoutError')
    return { kind: 'broken-off', reason: `no answer within ${timeoutMs / 1000} s` };
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : null;
  const reason = code ?? (cause instanceof Error ? cause.message : String(cause));
  return code !== null && NOT_REACHED.has(code)
    ? { kind: 'not-reached', reason }
    : { kind: 'broken-off', reason };
}

const LATER = new Set([408, 425, 429]);

/** Whether an answer that is no yes may become one. */
export const mayChange = (status: number): boolean => status >= 500 || LATER.has(status);
