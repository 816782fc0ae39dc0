import type * as z from 'zod';
import type { Problem } from '../contract/problem.ts';
import type { AnyRoute } from '../contract/route.ts';
import type { Tx } from '../ledger/transaction.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Asked, Handler, Services } from './context.ts';
import type { Identified } from './identity/identify.ts';
import { roleProblem } from './role-problem.ts';
import { unstorableText } from './unstorable-text.ts';

/** A request as it came in, whoever carried it: nothing of it is trusted yet. */
export type Raw = {
  readonly params: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string | readonly string[]>>;
  readonly body: unknown;
  readonly idempotencyKey: string | null;
};

/** The one way to a handler, over HTTP and in process alike: may they, is it well formed, do it. */
export async function ask(
  handler: Handler,
  raw: Raw,
  { identity, csrf }: Identified,
  services: Services,
): Promise<Result<object, Problem>> {
  const problem = roleProblem(handler.route, identity) ?? keyProblem(handler.route, raw);
  if (problem !== null) return err(problem);
  const parsed = parse(handler.route, raw);
  if (!parsed.ok) return parsed;
  const asked = { ...parsed.value, actor: identity.actor, identity, csrf };
  return run(handler, asked, raw.idempotencyKey, services);
}

async function run(
  handler: Handler,
  asked: Asked<AnyRoute>,
  key: string | null,
  services: Services,
): Promise<Result<object, Problem>> {
  if (handler.kind === 'read') return handler.run(asked, services);
  const prepared = await handler.before?.(asked, services);
  return services.ledger.write(asked.actor, async (tx) => {
    if (key === null) return handler.run(asked, tx, services, prepared);
    const fingerprint = JSON.stringify([asked.params, asked.query, asked.body]);
    const before = await remembered(tx, key, asked.actor, handler.route.id, fingerprint);
    if (before !== null) return before;
    const result = await handler.run(asked, tx, services, prepared);
    if (result.ok)
      await remember(tx, key, asked.actor, handler.route.id, fingerprint, result.value);
    return result;
  });
}

/** An answer that is shown once cannot be given again. */
function keyProblem(route: AnyRoute, { idempotencyKey }: Raw): Problem | null {
  if (!route.confidential || idempotencyKey === null) return null;
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

function parse(route: AnyRoute, raw: Raw): Result<Parsed, Problem> {
  const unstorable = unstorableText([raw.params, raw.query, raw.body]);
  if (unstorable !== null) return err(malformed([unstorable]));
  const params = route.params.safeParse(raw.params);
  const query = route.query.safeParse(raw.query);
  const sent = route.body.safeParse(raw.body);
  if (params.success && query.success && sent.success)
    return ok({ params: params.data, query: query.data, body: sent.data });
  const issues = [params, query, sent].flatMap((part) => part.error?.issues ?? []);
  return err(malformed(issues));
}

type Issue = Pick<z.core.$ZodIssue, 'path' | 'message'> & { readonly code?: string | undefined };

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
