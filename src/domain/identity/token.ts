import type { Instant } from '../work/ids.ts';
import { actorOf, type Identity, type TokenRole } from './identity.ts';

/**
 * A secret that proves who asks, known to us only by its hash. A `bearer` goes in a header, a
 * `session` in the dashboard's cookie, a `login` is the code of a one-time address.
 */
export type TokenUse = 'bearer' | 'session' | 'login';

export type Token = {
  readonly id: string;
  readonly use: TokenUse;
  readonly name: string;
  readonly role: TokenRole;
  readonly subject: string | null;
  readonly task: string | null;
  /** The token it came from: it ends with it. */
  readonly parent: string | null;
  readonly hash: string;
  readonly createdAt: Instant;
  readonly createdBy: string;
  readonly expiresAt: Instant | null;
  readonly revoked: { readonly at: Instant; readonly reason: string } | null;
};

export type TokenEvent =
  | { readonly type: 'token-created'; readonly token: Token }
  | { readonly type: 'token-revoked'; readonly reason: string };

export function evolveToken(token: Token | null, event: TokenEvent, at: Instant): Token {
  if (event.type === 'token-created') return event.token;
  if (token === null) throw new Error('A token was revoked before it was made');
  return { ...token, revoked: { at, reason: event.reason } };
}

export type TokenStatus = 'active' | 'expired' | 'revoked';

export function tokenStatus(token: Token, now: Instant): TokenStatus {
  if (token.revoked !== null) return 'revoked';
  return token.expiresAt !== null && token.expiresAt <= now ? 'expired' : 'active';
}

export function identityOf(token: Token): Identity {
  return {
    actor: actorOf(token.role, token.subject, token.name),
    role: token.role,
    subject: token.subject,
    task: token.task,
    token: token.id,
    by: token.use === 'session' ? 'session' : 'bearer',
  };
}
