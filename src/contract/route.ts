import * as z from 'zod';

export type Method = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** Who may call a route. An operator may call everything. */
export type Role =
  | 'anyone'
  | 'viewer'
  | 'approver'
  | 'operator'
  | 'manager'
  | 'worker'
  | 'reviewer'
  | 'runner';

/**
 * One thing a person or an agent can do, as data. The server, the client, the OpenAPI page and the
 * MCP tools are all read from it.
 */
export type Route<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Output extends z.ZodType = z.ZodType,
> = {
  /** `<noun>.<verb>`, unique. */
  readonly id: string;
  readonly method: Method;
  /** Below /api/v1, parameters as `{name}`. */
  readonly path: string;
  readonly summary: string;
  readonly tag: string;
  /** Roles besides operator. */
  readonly roles: readonly Role[];
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly output: Output;
  /** Its answer holds a secret, so it is never kept for a repeated idempotency key. */
  readonly confidential: boolean;
};

export type AnyRoute = Route;
export type ParamsOf<R> = R extends Route<infer P> ? z.output<P> : never;
export type QueryOf<R> = R extends Route<z.ZodType, infer Q> ? z.output<Q> : never;
export type BodyOf<R> = R extends Route<z.ZodType, z.ZodType, infer B> ? z.output<B> : never;
export type OutputOf<R> =
  R extends Route<z.ZodType, z.ZodType, z.ZodType, infer O> ? z.output<O> : never;

/** What a caller passes: the input side of each schema, so that defaults may be left out. */
export type CallOf<R> =
  R extends Route<infer P, infer Q, infer B>
    ? { params?: z.input<P>; query?: z.input<Q>; body?: z.input<B> }
    : never;

const nothing = z.object({});
type Nothing = typeof nothing;

/** Declares a route; what it does not name is empty. */
export function route<
  O extends z.ZodType,
  P extends z.ZodType = Nothing,
  Q extends z.ZodType = Nothing,
  B extends z.ZodType = Nothing,
>(spec: {
  id: string;
  method: Method;
  path: string;
  summary: string;
  roles?: readonly Role[];
  params?: P;
  query?: Q;
  body?: B;
  output: O;
  confidential?: true;
}): Route<P, Q, B, O> {
  const [tag = spec.id] = spec.id.split('.');
  // oxlint-disable typescript/no-unsafe-type-assertion -- a schema left out is the default of its type parameter
  return {
    id: spec.id,
    method: spec.method,
    path: spec.path,
    summary: spec.summary,
    tag,
    roles: spec.roles ?? (spec.method === 'GET' ? ['viewer'] : []),
    params: spec.params ?? (nothing as unknown as P),
    query: spec.query ?? (nothing as unknown as Q),
    body: spec.body ?? (nothing as unknown as B),
    output: spec.output,
    confidential: spec.confidential ?? false,
  };
}
