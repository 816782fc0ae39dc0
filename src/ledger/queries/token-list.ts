import type { Kysely } from 'kysely';
import type { Token } from '../../domain/identity/token.ts';
import type { Instant } from '../../domain/work/ids.ts';
import { tokenIn } from '../aggregates/token.ts';
import type { Tables } from '../tables.ts';

/** Tokens and sessions, newest first; login codes only say that somebody was about to log in. */
export async function tokenList(
  db: Kysely<Tables>,
  filter: { readonly all: boolean; readonly now: Instant },
): Promise<Token[]> {
  let query = db
    .selectFrom('token')
    .select('state')
    .where('use', '!=', 'login')
    .orderBy('created_at', 'desc')
    .orderBy('id');
  if (!filter.all)
    query = query
      .where('revoked_at', 'is', null)
      .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', filter.now)]));
  return (await query.execute()).map(tokenIn);
}
