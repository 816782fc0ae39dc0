import { sql } from 'kysely';
import { expect, test } from 'vitest';
import type { Attempt } from '../../src/domain/work/attempt.ts';
import { attemptId, changeId, convoyId, repoName, taskId } from '../../src/domain/work/ids.ts';
import { newAttempt } from '../../src/domain/work/new-attempt.ts';
import { attemptAggregate } from '../../src/ledger/aggregates/attempt.ts';
import { changeAggregate } from '../../src/ledger/aggregates/change.ts';
import type { Ledger } from '../../src/ledger/open.ts';
import { recentPace } from '../../src/ledger/queries/recent-pace.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { ok } from '../../src/lib/result.ts';
import { onBothEngines } from './both-engines.ts';

onBothEngines('the pace of a repo', (place) => {
  test('is the median of what attempts and gate runs took lately, and of no other repo', async () => {
    let now = 0;
    const ledger = await place.open(() => now);
    const at = (ms: number): void => void (now = ms);
    // Long ago everything was slower; of that nothing is left among the last twenty.
    for (let nth = 0; nth < 30; nth++)
      await work(ledger, at, { nth, took: nth < 10 ? 9000 : 100 + nth, gates: 40 });
    await work(ledger, at, { nth: 99, took: 1, gates: 1, repo: 'api' });
    const pace = await recentPace(ledger.db, ['main', 'api', 'none']);
    expect(pace).toEqual(
      new Map([
        ['main', { attemptMs: 119.5, verificationMs: 40 }],
        ['api', { attemptMs: 1, verificationMs: 1 }],
        ['none', { attemptMs: null, verificationMs: null }],
      ]),
    );
  });

  test('gate runs that were stopped, and clocks that went back, measure nothing', async () => {
    let now = 0;
    const ledger = await place.open(() => now);
    const at = (ms: number): void => void (now = ms);
    await work(ledger, at, { nth: 1, took: -500, gates: 7, outcome: 'cancelled' });
    expect(await recentPace(ledger.db, ['main'])).toEqual(
      new Map([['main', { attemptMs: null, verificationMs: null }]]),
    );
  });

  test('a ledger that was filled before it was asked is brought up to date', async () => {
    let now = 0;
    const ledger = await place.open(() => now);
    const at = (ms: number): void => void (now = ms);
    await work(ledger, at, { nth: 1, took: 5, gates: 7 });
    await sql`drop index attempt_by_repo`.execute(ledger.db);
    await sql`delete from kysely_migration where name = '0007-pace'`.execute(ledger.db);
    const newer = await place.open();
    await newer.seal();
    expect(await recentPace(newer.db, ['main'])).toEqual(
      new Map([['main', { attemptMs: 5, verificationMs: 7 }]]),
    );
    expect((await verifyLedger(newer.db)).problems).toEqual([]);
    await expect(sql`drop index attempt_by_repo`.execute(newer.db)).resolves.toBeDefined();
  });
});

type Work = {
  readonly nth: number;
  readonly took: number;
  readonly gates: number;
  readonly repo?: string;
  readonly outcome?: 'green' | 'cancelled';
};

/** An attempt that began at its number's time, and one gate run of its change. */
async function work(ledger: Ledger, at: (ms: number) => void, given: Work): Promise<void> {
  const { nth, took, gates, repo = 'main', outcome = 'green' } = given;
  const start = 1_000_000 + nth * 1000;
  const [id, change] = [attemptId(`at-${nth}`), changeId(`ch-${nth}`)];
  const cost = { usd: 0, tokens: 0 };
  const record = async (
    ms: number,
    ...events: Parameters<typeof recordAttempt>[2][]
  ): Promise<void> => {
    at(ms);
    for (const event of events) await recordAttempt(ledger, id, event);
  };
  await record(start, { type: 'attempt-opened', attempt: attemptOf(nth, repo, start) });
  await record(start, { type: 'attempt-running', base: 'b', worktree: '/w' });
  await record(start + took, { type: 'attempt-done', change, cost });
  const core = {
    id: change,
    task: taskId(`t-${nth}`),
    attempt: id,
    convoy: convoyId('cv-1'),
    repo: repoName(repo),
    target: 'main',
    head: 'h',
    base: 'b',
    priority: 2,
    enqueuedAt: start,
    movedTo: null,
  };
  const verification = `vf-${nth}`;
  at(start);
  await ledger.write('test', async (tx) =>
    ok(
      await tx.record(changeAggregate, change, [
        { type: 'change-enqueued', change: core, at: start },
        { type: 'change-verification-started', verification, at: start },
      ]),
    ),
  );
  at(start + gates);
  await ledger.write('test', async (tx) =>
    ok(
      await tx.record(changeAggregate, change, [
        { type: 'change-verification-ended', verification, outcome, at: start + gates },
      ]),
    ),
  );
}

type AttemptEvent = Parameters<typeof attemptAggregate.evolve>[1];

const recordAttempt = (ledger: Ledger, id: string, event: AttemptEvent): Promise<unknown> =>
  ledger.write('test', async (tx) => ok(await tx.record(attemptAggregate, id, [event])));

const attemptOf = (nth: number, repo: string, at: number): Attempt =>
  newAttempt(
    {
      id: attemptId(`at-${nth}`),
      task: taskId(`t-${nth}`),
      convoy: convoyId('cv-1'),
      repo: repoName(repo),
      number: 1,
      role: 'worker',
      agent: 'mine',
      branch: 'b',
      target: 'main',
    },
    at,
  );
