import type { Context, MiddlewareHandler } from 'hono';
import type { Problem } from '../contract/problem.ts';
import type { Identified, Identify } from './identity/identify.ts';
import type { Limits } from './identity/limits.ts';
import type { CookieRule } from './identity/login.ts';
import { PROBLEM_HEADER, problemResponse } from './problem-response.ts';

/** Who is asking: decided where the app is served, because a call in process needs no token. */
export type Caller = {
  readonly identify: Identify;
  /** What a client that looks for this workspace calls us. */
  readonly instance?: string;
  /** Null when requests never cross a socket, so that nobody else can have sent them. */
  readonly network: Network | null;
};

/** What guards a socket. */
export type Network = {
  /** Host names under which we answer. */
  readonly hosts: ReadonlySet<string>;
  /** Origins of our own pages besides the address that was asked, for example behind a proxy. */
  readonly origins: ReadonlySet<string>;
  readonly cookie: CookieRule;
  readonly limits: Limits;
  /** Writes down who was turned away; it is never given a secret. */
  refused(refusal: Refusal): void;
};

export type Refusal = {
  readonly status: number;
  readonly code: string;
  readonly method: string;
  readonly path: string;
  readonly actor: string | null;
  readonly address: string;
};

/** What the guard hands on to the routes. */
export type Guarded = { Variables: { who: Identified } };

const API = '/api/';
const TURNED_AWAY = new Set([401, 403, 429]);

/** Writes down every request that is turned away, by whatever rule. */
export function watched({ network }: Caller): MiddlewareHandler<Guarded> {
  return async (context, next) => {
    await next();
    const { res, req } = context;
    if (network === null || !TURNED_AWAY.has(res.status)) return;
    // oxlint-disable-next-line typescript/no-unnecessary-condition -- not set when turned away early
    const actor = context.get('who')?.identity.actor ?? null;
    network.refused({
      status: res.status,
      code: res.headers.get(PROBLEM_HEADER) ?? '',
      method: req.method,
      path: withoutSecrets(req.path),
      actor,
      address: addressOf(context),
    });
  };
}

/** Somebody may have put a token into an address; nothing of ours is that long. */
export const withoutSecrets = (path: string): string => path.replaceAll(/[^/]{40,}/g, '…');

/**
 * Refuses other hosts (DNS rebinding), other origins (a web page), and callers without a token.
 * Only the API holds anything: pages are the same for everybody.
 */
export function guard(callers: Caller, open: ReadonlySet<string>): MiddlewareHandler<Guarded> {
  return async (context, next) => {
    const { req } = context;
    const stranger = fromElsewhere(req.raw, callers);
    if (stranger !== null) return problemResponse(stranger);
    if (!req.path.startsWith(API) || open.has(req.path)) return next();
    const found = await callers.identify(req.raw);
    const { network } = callers;
    if (!found.ok) return turnedAway(context, network, problemResponse(found.error));
    const { identity } = found.value;
    context.set('who', found.value);
    const waitMs = network?.limits.asked(identity.token ?? identity.actor, identity.role) ?? 0;
    if (waitMs > 0) return tooMany(waitMs);
    const forged = forgedBy(req.raw, found.value);
    return forged === null ? next() : problemResponse(forged);
  };
}

/** Whoever fails too often is told to wait; whoever has a good token never is, even beside them. */
export function turnedAway(
  context: Context<Guarded>,
  network: Network | null,
  response: Response,
): Response {
  const waitMs = network?.limits.failed(addressOf(context)) ?? 0;
  return waitMs > 0 ? tooMany(waitMs) : response;
}

function fromElsewhere(request: Request, { network, instance }: Caller): Problem | null {
  const { headers } = request;
  if (network !== null) {
    const host = headers.get('host') ?? '';
    if (!network.hosts.has(nameOf(host)))
      return forbidden('foreign_host', 'This address is not ours.');
    const origin = headers.get('origin');
    if (origin !== null && !isOwnOrigin(origin, host, network))
      return forbidden('foreign_origin', 'Another web page may not call this.');
  }
  const wanted = headers.get('x-convoy-instance');
  if (wanted === null || wanted === instance) return null;
  return {
    kind: 'unavailable',
    code: 'wrong_instance',
    message: 'This is the daemon of another workspace.',
    remedy: 'Try again: the address has changed hands.',
  };
}

/** The port counts: another program on this machine may serve pages too. */
function isOwnOrigin(origin: string, host: string, { origins }: Network): boolean {
  const own = host.toLowerCase();
  return origin === `http://${own}` || origin === `https://${own}` || origins.has(origin);
}

const SAFE_METHODS = new Set(['GET', 'HEAD']);

/**
 * A cookie goes along by itself, so it alone proves nothing about who wrote the request: it must
 * come from our own page, and to change something that page must know its session's word.
 */
function forgedBy(request: Request, { csrf }: Identified): Problem | null {
  if (csrf === null) return null;
  const { headers, method } = request;
  const site = headers.get('sec-fetch-site');
  if (site !== null && site !== 'same-origin' && site !== 'none')
    return forbidden('foreign_origin', 'Another web page may not call this.');
  if (SAFE_METHODS.has(method)) return null;
  if (site !== 'same-origin' && headers.get('origin') === null)
    return forbidden('no_origin', 'A browser has to say which page it asks from.');
  if (headers.get('x-convoy-csrf') !== csrf)
    return forbidden('csrf', 'The page has to send x-convoy-csrf with the word of its session.');
  return null;
}

const forbidden = (code: string, message: string): Problem => ({
  kind: 'forbidden',
  code,
  message,
});

export function tooMany(waitMs: number): Response {
  const seconds = Math.ceil(waitMs / 1000);
  return problemResponse(
    {
      kind: 'too_many',
      code: 'too_many_requests',
      message: 'Too many requests.',
      remedy: `Try again in ${seconds} s.`,
    },
    { 'retry-after': String(seconds) },
  );
}

/** The name without its port; an IPv6 address keeps its brackets. */
const nameOf = (host: string): string => host.replace(/:\d+$/, '').toLowerCase();

/** The other end of the socket, where there is one. */
function addressOf(context: Context<Guarded>): string {
  const env: unknown = context.env;
  if (typeof env !== 'object' || env === null || !('incoming' in env)) return 'unknown';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- Node's server puts its request here
  const { socket } = env.incoming as { socket?: { remoteAddress?: string } };
  return socket?.remoteAddress ?? 'unknown';
}
