import type { Problem } from '../../contract/problem.ts';
import { type Token, tokenStatus } from '../../domain/identity/token.ts';
import { mintToken, revokeToken, tokenBySecret } from '../../ledger/tokens.ts';
import type { Tx } from '../../ledger/transaction.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Services } from '../context.ts';
import { problemResponse } from '../problem-response.ts';

const SESSION_MS = 24 * 3_600_000;

/** How the dashboard's cookie is called and whether it may travel unencrypted. */
export type CookieRule = { readonly name: string; readonly secure: (host: string) => boolean };

/**
 * Exchanges the code of a one-time address for a cookie and sends the browser on to a clean one,
 * so that no secret stays in the address bar or the history.
 */
export async function login(
  request: Request,
  services: Services,
  cookie: CookieRule,
): Promise<Response> {
  const url = new URL(request.url);
  const spent = await exchange(url.searchParams.get('code') ?? '', services);
  if (!spent.ok) return problemResponse(spent.error);
  const host = request.headers.get('host') ?? '';
  const attributes = [
    `${cookie.name}=${spent.value}`,
    'Path=/',
    'HttpOnly',
    'SameSite=Strict',
    `Max-Age=${SESSION_MS / 1000}`,
    ...(cookie.secure(host) ? ['Secure'] : []),
  ];
  return new Response(null, {
    status: 303,
    headers: {
      location: ownPath(url.searchParams.get('to')),
      'set-cookie': attributes.join('; '),
      'cache-control': 'no-store',
    },
  });
}

/** Only a path of ours: `//evil.example` and `/\evil` are other people's hosts. */
export function ownPath(wanted: string | null): string {
  return wanted !== null && /^\/(?![/\\])[\w\-./~%]*$/.test(wanted) ? wanted : '/';
}

async function exchange(code: string, services: Services): Promise<Result<string, Problem>> {
  const { ledger } = services;
  const before = await tokenBySecret(ledger.db, code);
  if (before === null || before.use !== 'login') return err(SPENT);
  return ledger.write<string, Problem>(actorFor(before), async (tx) => {
    await tx.alone(`login ${before.id}`);
    const now = await tokenBySecret(tx.db, code);
    if (now === null || tokenStatus(now, tx.at) !== 'active') return err(SPENT);
    await revokeToken(tx, now.id, 'used');
    const expiresAt = await lifetime(tx, now);
    const { role, name, parent } = now;
    const made = await mintToken(tx, { role, name, parent, expiresAt, use: 'session' });
    return made.ok ? ok(made.value.token) : err(SPENT);
  });
}

/** A session never outlives the token it came from. */
async function lifetime({ db, at }: Tx, { parent }: Token): Promise<number> {
  const longest = at + SESSION_MS;
  if (parent === null) return longest;
  const row = await db
    .selectFrom('token')
    .select('expires_at')
    .where('id', '=', parent)
    .executeTakeFirst();
  return Math.min(longest, row?.expires_at ?? longest);
}

const actorFor = ({ role, name }: Token): string => `${role}:${name}`;

const SPENT: Problem = {
  kind: 'unauthenticated',
  code: 'login_spent',
  message: 'This address has been used or is older than a minute.',
  remedy: 'convoy open makes a new one.',
};
