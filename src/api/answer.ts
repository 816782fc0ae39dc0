import { SCHEMA } from '../contract/schemas/words.ts';
import { ask } from './ask.ts';
import type { Handler, Services } from './context.ts';
import type { Identified } from './identity/identify.ts';
import { problemResponse } from './problem-response.ts';
import { readBody } from './read-body.ts';

/** Takes a request off the wire, asks its handler, and puts the outcome back on. */
export async function answer(
  handler: Handler,
  request: Request,
  params: Record<string, string>,
  services: Services,
  who: Identified,
): Promise<Response> {
  const body = await readBody(request, who.identity.role);
  if (!body.ok) return problemResponse(body.error);
  const raw = {
    params,
    query: queryOf(new URL(request.url)),
    body: body.value,
    idempotencyKey: request.headers.get('idempotency-key'),
  };
  const result = await ask(handler, raw, who, services);
  return result.ok
    ? Response.json({ schema: SCHEMA, ...result.value })
    : problemResponse(result.error);
}

function queryOf(url: URL): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const key of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(key);
    query[key] = values.length > 1 ? values : (values[0] ?? '');
  }
  return query;
}
