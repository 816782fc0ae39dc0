import type { Kysely } from 'kysely';
import type { Problem } from '../../contract/problem.ts';
import type { Identity } from '../../domain/identity/identity.ts';
import { identityOf, type Token, type TokenUse, tokenStatus } from '../../domain/identity/token.ts';
import type { Instant } from '../../domain/work/ids.ts';
import { csrfOf, hashSecret } from '../../ledger/secret.ts';
import type { Tables } from '../../ledger/tables.ts';
import { tokenBySecret } from '../../ledger/tokens.ts';
import { err, ok, type Result } from '../../lib/result.ts';

export type Identified = {
  readonly identity: Identity;
  /** What a page must send to change something; null when no cookie is involved. */
  readonly csrf: string | null;
};

export type Identify = (request: Request) => Promise<Result<Identified, Problem>>;

/** Finds out who sends a request, by a bearer token or by the cookie of a session. */
export function identifier(place: {
  readonly db: Kysely<Tables>;
  readonly now: () => Instant;
  readonly operator: { readonly token: string; readonly identity: Identity };
  readonly cookie: string;
}): Identify {
  const { db, now, operator, cookie } = place;
  const operatorHash = hashSecret(operator.token);
  const known = async (secret: string, use: TokenUse): Promise<Result<Token, Problem>> => {
    const token = await tokenBySecret(db, secret);
    if (token === null || token.use !== use) return err(unknown(use));
    const status = tokenStatus(token, now());
    return status === 'active' ? ok(token) : err(ended(use, status));
  };
  return async (request) => {
    const bearer = bearerOf(request);
    if (bearer !== null) {
      // Hashes are compared, so the time it takes says nothing about the token.
      if (hashSecret(bearer) === operatorHash)
        return ok({ identity: operator.identity, csrf: null });
      const token = await known(bearer, 'bearer');
      return token.ok ? ok({ identity: identityOf(token.value), csrf: null }) : token;
    }
    const session = cookieOf(request, cookie);
    if (session === null) return err(NO_TOKEN);
    const token = await known(session, 'session');
    if (!token.ok) return token;
    return ok({ identity: identityOf(token.value), csrf: csrfOf(session) });
  };
}

function bearerOf(request: Request): string | null {
  const header = request.headers.get('authorization');
  if (header === null) return null;
  return /^Bearer +(\S+)$/i.exec(header)?.[1] ?? '';
}

export function cookieOf(request: Request, name: string): string | null {
  for (const pair of (request.headers.get('cookie') ?? '').split(';')) {
    const equals = pair.indexOf('=');
    if (equals !== -1 && pair.slice(0, equals).trim() === name)
      return pair.slice(equals + 1).trim();
  }
  return null;
}

const NO_TOKEN: Problem = {
  kind: 'unauthenticated',
  code: 'no_token',
  message: 'A token is needed.',
  remedy: 'Send Authorization: Bearer with a token; convoy open logs a browser in.',
};

const remedyFor = (use: TokenUse): string =>
  use === 'session' ? 'convoy open logs in again.' : 'convoy token create makes a new one.';

const unknown = (use: TokenUse): Problem => ({
  kind: 'unauthenticated',
  code: 'token_unknown',
  message: 'Nobody here knows that token.',
  remedy: remedyFor(use),
});

const ended = (use: TokenUse, status: 'expired' | 'revoked'): Problem => ({
  kind: 'unauthenticated',
  code: `token_${status}`,
  message: status === 'expired' ? 'That token has expired.' : 'That token was revoked.',
  remedy: remedyFor(use),
});
