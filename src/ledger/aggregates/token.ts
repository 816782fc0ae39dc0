import type { Kysely } from 'kysely';
import { evolveToken, type Token, type TokenEvent } from '../../domain/identity/token.ts';
import type { Aggregate, Change, Stored } from '../aggregate.ts';
import type { Tables } from '../tables.ts';

/** Tokens, sessions and login codes in the ledger. */
export const tokenAggregate: Aggregate<Token, TokenEvent> = {
  name: 'token',
  evolve: evolveToken,
  load,
  save,
  stored: (db) => db.selectFrom('token').selectAll().execute(),
  row: rowOf,
  satellites: [],
};

async function load(db: Kysely<Tables>, id: string): Promise<Stored<Token> | null> {
  const row = await db
    .selectFrom('token')
    .select(['state', 'version'])
    .where('id', '=', id)
    .executeTakeFirst();
  return row === undefined ? null : { state: tokenIn(row), version: row.version };
}

/** The token a row holds. */
export const tokenIn = ({ state }: { readonly state: string }): Token =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only save() writes this column
  JSON.parse(state) as Token;

async function save(db: Kysely<Tables>, change: Change<Token, TokenEvent>): Promise<void> {
  const row = rowOf(change.after, change.version);
  await db
    .insertInto('token')
    .values(row)
    .onConflict((clash) => clash.column('id').doUpdateSet(row))
    .execute();
}

function rowOf(token: Token, version: number): Tables['token'] {
  return {
    id: token.id,
    version,
    hash: token.hash,
    use: token.use,
    role: token.role,
    name: token.name,
    subject: token.subject,
    parent: token.parent,
    created_at: token.createdAt,
    expires_at: token.expiresAt,
    revoked_at: token.revoked?.at ?? null,
    state: JSON.stringify(token),
  };
}
