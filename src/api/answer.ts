import type { z } from 'zod';
import type { Problem } from '../contract/problem.ts';
import type { AnyRoute } from '../contract/route.ts';
import { SCHEMA } from '../contract/schemas/words.ts';
import type { Identity } from '../domain/identity/identity.ts';
import type { Tx } from '../ledger/transaction.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Asked, Handler, Services } from './context.ts';
import { roleProblem } from './guard.ts';
import type { Identified } from './identity/identify.ts';
import { problemResponse } from './problem-response.ts';
import { readBody } from './read-body.ts';

/** Parses a request at the edge, runs its handler, and puts the outcome on the wire. */
export async function answer(
  handler: Handler,
  request: Request,
  params: Record<string, string>,
  services: Services,
  who: Identified,
): Promise<Response> {
  const { identity, csrf } = who;
  const problem = roleProblem(handler.route, identity) ?? keyProblem(handler.route, request);
  if (problem !== null) return problemResponse(problem);
  const asked = await parse(handler.route, request, params, identity);
  if (!asked.ok) return problemResponse(asked.error);
  const said = { ...asked.value, actor: identity.actor, identity, csrf };
  const result = await run(handler, said, request, services);
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

/** An answer that is shown once cannot be given again. */
function keyProblem(route: AnyRoute, request: Request): Problem | null {
  if (!route.confidential || !request.headers.has('idempotency-key')) return null;
  return {
    kind: 'invalid',
    code: 'idempotency_not_possible',
    message: 'The answer holds a secret, which is never kept, so it cannot be repeated.',
    remedy: 'Leave the idempotency key out.',
  };
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

type Parsed = Pick<Asked<AnyRoute>, 'params' | 'query' | 'body'>;

async function parse(
  route: AnyRoute,
  request: Request,
  rawParams: Record<string, string>,
  identity: Identity,
): Promise<Result<Parsed, Problem>> {
  const body = await readBody(request, identity.role);
  if (!body.ok) return body;
  const params = route.params.safeParse(rawParams);
  const query = route.query.safeParse(queryOf(new URL(request.url)));
  const sent = route.body.safeParse(body.value);
  if (params.success && query.success && sent.success)
    return ok({ params: params.data, query: query.data, body: sent.data });
  const issues = [params, query, sent].flatMap((part) => part.error?.issues ?? []);
  return err(malformed(issues));
}

function malformed(issues: readonly z.core.$ZodIssue[]): Problem {
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

function queryOf(url: URL): Record<string, string | string[]> {
  const query: Record<string, string | string[]> = {};
  for (const key of new Set(url.searchParams.keys())) {
    const values = url.searchParams.getAll(key);
    query[key] = values.length > 1 ? values : (values[0] ?? '');
  }
  return query;
}
