import type { z } from 'zod';
import type { Problem } from '../contract/problem.ts';
import type { AnyRoute } from '../contract/route.ts';
import { SCHEMA } from '../contract/schemas/words.ts';
import type { Tx } from '../ledger/transaction.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Asked, Handler, Services } from './context.ts';
import type { Caller } from './guard.ts';
import { problemResponse } from './problem-response.ts';
import { unstorableText } from './unstorable-text.ts';

const MOST_BODY = 80 * 1024 * 1024;

/** Parses a request at the edge, runs its handler, and puts the outcome on the wire. */
export async function answer(
  handler: Handler,
  request: Request,
  params: Record<string, string>,
  services: Services,
  callers: Caller,
): Promise<Response> {
  const asked = await parse(handler.route, request, params);
  if (!asked.ok) return problemResponse(asked.error);
  const actor = (await callers.identify(request)) ?? 'anyone';
  const result = await run(handler, { ...asked.value, actor }, request, services);
  return result.ok
    ? Response.json({ schema: SCHEMA, ...result.value })
    : problemResponse(result.error);
}

async function run(
  handler: Handler,
  asked: Asked<AnyRoute>,
  request: Request,
  services: Services,
): Promise<Result<object, Problem>> {
  if (handler.kind === 'read') return handler.run(asked, services);
  const key = request.headers.get('idempotency-key');
  return services.ledger.write(asked.actor, async (tx) => {
    if (key === null) return handler.run(asked, tx, services);
    const fingerprint = JSON.stringify([asked.params, asked.query, asked.body]);
    const before = await remembered(tx, key, asked.actor, handler.route.id, fingerprint);
    if (before !== null) return before;
    const result = await handler.run(asked, tx, services);
    if (result.ok)
      await remember(tx, key, asked.actor, handler.route.id, fingerprint, result.value);
    return result;
  });
}

/** The same key with the same request gives the first answer again; with another request, a conflict. */
async function remembered(
  tx: Tx,
  key: string,
  actor: string,
  route: string,
  fingerprint: string,
): Promise<Result<object, Problem> | null> {
  const row = await tx.db
    .selectFrom('idempotency')
    .selectAll()
    .where('key', '=', key)
    .where('actor', '=', actor)
    .executeTakeFirst();
  if (row === undefined) return null;
  if (row.route !== route || row.request !== fingerprint)
    return err({
      kind: 'conflict',
      code: 'idempotency_conflict',
      message: 'That idempotency key was used for another request.',
      remedy: 'Use a new key for a new request.',
    });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- remember() wrote an object
  return ok(JSON.parse(row.response) as object);
}

async function remember(
  tx: Tx,
  key: string,
  actor: string,
  route: string,
  request: string,
  response: object,
): Promise<void> {
  await tx.db
    .insertInto('idempotency')
    .values({ key, actor, route, request, response: JSON.stringify(response), at: tx.at })
    .execute();
}

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'> & { readonly code?: string | undefined };

type Parsed = Pick<Asked<AnyRoute>, 'params' | 'query' | 'body'>;

async function parse(
  route: AnyRoute,
  request: Request,
  rawParams: Record<string, string>,
): Promise<Result<Parsed, Problem>> {
  const body = await readBody(request);
  if (!body.ok) return body;
  const asked = queryOf(new URL(request.url));
  const unstorable = unstorableText([rawParams, asked, body.value]);
  if (unstorable !== null) return err(malformed([unstorable]));
  const params = route.params.safeParse(rawParams);
  const query = route.query.safeParse(asked);
  const sent = route.body.safeParse(body.value);
  if (params.success && query.success && sent.success)
    return ok({ params: params.data, query: query.data, body: sent.data });
  const issues = [params, query, sent].flatMap((part) => part.error?.issues ?? []);
  return err(malformed(issues));
}

function malformed(issues: readonly Issue[]): Problem {
  const fields = issues.map(({ path, message, code, ...rest }) => ({
    path: path.join('.'),
    message:
      code === 'unrecognized_keys' && 'keys' in rest && Array.isArray(rest.keys)
        ? `unknown: ${rest.keys.join(', ')}`
        : message,
  }));
  return {
    kind: 'invalid',
    code: 'invalid_request',
    message: fields
      .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
      .join('; '),
    remedy: 'convoy help <command> shows what is accepted.',
    fields,
  };
}

async function readBody(request: Request): Promise<Result<unknown, Problem>> {
  if (request.method === 'GET' || request.method === 'DELETE') return ok({});
  if (Number(request.headers.get('content-length') ?? 0) > MOST_BODY)
    return err({ kind: 'invalid', code: 'too_large', message: 'The request is too large.' });
  const text = await request.text();
  if (text.trim() === '') return ok({});
  try {
    return ok(JSON.parse(text));
  } catch {
    return err({
      kind: 'invalid',
      code: 'malformed_json',
      message: 'The body is not JSON.',
      remedy: 'Send a JSON object.',
    });
  }
}

function queryOf(url: URL): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const key of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(key);
    query[key] = values.length > 1 ? values : (values[0] ?? '');
  }
  return query;
}
