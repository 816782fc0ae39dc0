import type { Kysely } from 'kysely';
import type { Attempt } from '../../domain/work/attempt.ts';
import { type Breaker, BREAKER_MEMORY_MS, breakerOf } from '../../domain/work/breaker.ts';
import type { Tables } from '../tables.ts';

/** The breakers of agents that have failed often enough lately to have one; all others are closed. */
export async function agentBreakers(
  db: Kysely<Tables>,
  most: number,
  now: number,
): Promise<Map<string, Breaker>> {
  if (most === 0) return new Map();
  const since = now - BREAKER_MEMORY_MS;
  const counts = await db
    .selectFrom('attempt')
    .select(({ fn }) => ['agent', fn.countAll<number>().as('failed')])
    .where('status', '=', 'failed')
    .where('created_at', '>', since)
    .groupBy('agent')
    .execute();
  const suspects = counts.flatMap(({ agent, failed }) => (failed >= most ? [agent] : []));
  if (suspects.length === 0) return new Map();
  const rows = await db
    .selectFrom('attempt')
    .select(['agent', 'state'])
    .where('agent', 'in', suspects)
    .where('created_at', '>', since)
    .execute();
  const byAgent = Map.groupBy(rows, ({ agent }) => agent);
  return new Map(
    [...byAgent].map(([agent, ran]) => [agent, breakerOf(ran.map(parsed), most, now)]),
  );
}

// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the attempt aggregate writes this column
const parsed = ({ state }: { state: string }): Attempt => JSON.parse(state) as Attempt;
