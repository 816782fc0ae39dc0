import { noAddress } from '../contract/no-address.ts';
import type { Problem } from '../contract/problem.ts';
import type { AnyRoute } from '../contract/route.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Client } from './client.ts';

export type Fetch = (request: Request) => Promise<Response>;

/** A client over any fetch: the network's, or the API's own in this process. */
export function clientOver(base: string, token: string | null, send: Fetch): Client {
  const headers = (): Record<string, string> =>
    token === null ? {} : { authorization: `Bearer ${token}` };
  return {
    async call(route, input) {
      const unnameable = noAddress(input.params);
      if (unnameable !== null) return err(unnameable);
      const request = new Request(addressOf(base, route, input), {
        method: route.method,
        headers: { ...headers(), 'content-type': 'application/json' },
        ...(takesBody(route) ? { body: JSON.stringify(input.body ?? {}) } : {}),
      });
      return readAnswer(await send(request));
    },
    fetch: (path, init) => {
      const request = new Request(base + path, init);
      for (const [name, value] of Object.entries(headers())) request.headers.set(name, value);
      return send(request);
    },
  };
}

const takesBody = (route: AnyRoute): boolean => route.method !== 'GET' && route.method !== 'DELETE';

function addressOf(
  base: string,
  route: AnyRoute,
  input: { params?: unknown; query?: unknown },
): string {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- path parameters are words
  const params = (input.params ?? {}) as Record<string, string>;
  const path = route.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(params[name] ?? ''),
  );
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(input.query ?? {}))
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined && each !== null) query.append(key, String(each));
  const search = query.toString();
  return `${base}/api/v1${path}${search === '' ? '' : `?${search}`}`;
}

async function readAnswer<T>(response: Response): Promise<Result<T, Problem>> {
  const body: unknown = await response.json().catch(() => null);
  // oxlint-disable typescript/no-unsafe-type-assertion -- the other end is the same contract
  if (response.ok && body !== null) return ok(body as T);
  if (typeof body === 'object' && body !== null && 'code' in body && 'kind' in body) {
    return err(body as Problem);
  }
  // oxlint-enable typescript/no-unsafe-type-assertion
  return err({
    kind: 'unavailable',
    code: 'bad_answer',
    message: response.ok
      ? 'The answer broke off before its end.'
      : `The daemon answered ${response.status} and nothing we understand.`,
    remedy:
      'Look whether it happened before you say it again; convoy down and convoy up start afresh.',
  });
}
