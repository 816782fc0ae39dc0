import type { Kysely } from 'kysely';
import type { RepoPace } from '../../domain/convoy/eta.ts';
import { medianOf } from '../../lib/median.ts';
import type { VerificationOutcome } from '../../domain/merge/change.ts';
import type { Attempt } from '../../domain/work/attempt.ts';
import type { Tables } from '../tables.ts';

type Db = Kysely<Tables>;

/** So many attempts say how long one takes now; older ones were other work. */
const RECENT = 20;

/** How long attempts that ended well, and the gate runs of their changes, took in each repo lately. */
export async function recentPace(db: Db, repos: readonly string[]): Promise<Map<string, RepoPace>> {
  const paces = new Map<string, RepoPace>();
  for (const repo of repos) {
    const attempts = await recentAttempts(db, repo);
    const changes = attempts.flatMap(({ change }) => change ?? []);
    paces.set(repo, {
      attemptMs: medianOf(attempts.flatMap(workedMs)),
      verificationMs: medianOf(await verificationsMs(db, changes)),
    });
  }
  return paces;
}

async function recentAttempts(db: Db, repo: string): Promise<Attempt[]> {
  const rows = await db
    .selectFrom('attempt')
    .select('state')
    .where('repo', '=', repo)
    .where('status', '=', 'done')
    .orderBy('created_at', 'desc')
    .limit(RECENT)
    .execute();
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the attempt aggregate writes this column
  return rows.map(({ state }) => JSON.parse(state) as Attempt);
}

/** A clock that was set back in between has measured nothing. */
const workedMs = ({ startedAt, endedAt }: Attempt): number[] =>
  startedAt === null || endedAt === null || endedAt < startedAt ? [] : [endedAt - startedAt];

async function verificationsMs(db: Db, changes: readonly string[]): Promise<number[]> {
  if (changes.length === 0) return [];
  const rows = await db
    .selectFrom('event')
    .select(['at', 'kind', 'data'])
    .where(
      'subject',
      'in',
      changes.map((id) => `change/${id}`),
    )
    .where('kind', 'in', ['change-verification-started', 'change-verification-ended'])
    .orderBy('at')
    .execute();
  const begun = new Map<string, number>();
  const took = new Map<string, number>();
  for (const { at, kind, data } of rows) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the change aggregate writes these events
    const { verification, outcome } = JSON.parse(data) as Told;
    const since = begun.get(verification);
    if (kind === 'change-verification-started') begun.set(verification, since ?? at);
    // One that was stopped half way says nothing about the whole.
    else if (since !== undefined && (outcome === 'green' || outcome === 'red'))
      took.set(verification, at - since);
  }
  return [...took.values()];
}

type Told = { readonly verification: string; readonly outcome?: VerificationOutcome };
