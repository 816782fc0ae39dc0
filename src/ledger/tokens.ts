import type { Kysely } from 'kysely';
import { bindingOf, type BindingRefusal } from '../domain/identity/binding.ts';
import type { TokenRole } from '../domain/identity/identity.ts';
import type { Token, TokenUse } from '../domain/identity/token.ts';
import type { Instant } from '../domain/work/ids.ts';
import { err, ok, type Result } from '../lib/result.ts';
import { tokenAggregate, tokenIn } from './aggregates/token.ts';
import { hashSecret, newSecret, newTokenId } from './secret.ts';
import type { Tables } from './tables.ts';
import type { Tx } from './transaction.ts';

export type TokenWish = {
  readonly role: TokenRole;
  /** `attempt:<id>`, `crew:<id>`, `host:<name>` for the roles that are bound. */
  readonly subject?: string | null;
  readonly task?: string | null;
  readonly expiresAt?: Instant | null;
  readonly name?: string;
  readonly use?: TokenUse;
  readonly parent?: string | null;
};

export type Minted = { readonly token: string; readonly id: string };

/** Makes a token; its text is returned here and kept nowhere. */
export async function mintToken(tx: Tx, wish: TokenWish): Promise<Result<Minted, BindingRefusal>> {
  const binding = bindingOf(wish.role, wish.subject ?? null, wish.task ?? null);
  if (!binding.ok) return err(binding.error);
  const id = await freshId(tx);
  const secret = newSecret();
  const token: Token = {
    id,
    use: wish.use ?? 'bearer',
    name: wish.name ?? id,
    role: wish.role,
    ...binding.value,
    parent: wish.parent ?? null,
    hash: hashSecret(secret),
    createdAt: tx.at,
    createdBy: tx.actor,
    expiresAt: wish.expiresAt ?? null,
    revoked: null,
  };
  await tx.record(tokenAggregate, id, [{ type: 'token-created', token }]);
  return ok({ token: secret, id });
}

async function freshId(tx: Tx): Promise<string> {
  for (;;) {
    const id = newTokenId();
    if ((await tx.load(tokenAggregate, id)) === null) return id;
  }
}

/** Ends a token and everything that came from it; returns the ids that ended now. */
export async function revokeToken(tx: Tx, id: string, reason: string): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('token')
    .select('state')
    .where((eb) => eb.or([eb('id', '=', id), eb('parent', '=', id)]))
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute();
  return revokeAll(tx, rows.map(tokenIn), reason);
}

/** Ends every token of an attempt, a crew or a host, when that has ended. */
export async function revokeTokensOf(
  tx: Tx,
  subject: string,
  reason = `${subject} has ended`,
): Promise<string[]> {
  const rows = await tx.db
    .selectFrom('token')
    .select('state')
    .where('subject', '=', subject)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute();
  return revokeAll(tx, rows.map(tokenIn), reason);
}

async function revokeAll(tx: Tx, tokens: readonly Token[], reason: string): Promise<string[]> {
  for (const { id } of tokens)
    await tx.record(tokenAggregate, id, [{ type: 'token-revoked', reason }]);
  return tokens.map(({ id }) => id);
}

/** The token behind a secret, whatever has become of it. */
export async function tokenBySecret(db: Kysely<Tables>, secret: string): Promise<Token | null> {
  const row = await db
    .selectFrom('token')
    .select('state')
    .where('hash', '=', hashSecret(secret))
    .executeTakeFirst();
  return row === undefined ? null : tokenIn(row);
}
