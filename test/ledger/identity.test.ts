import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Approval, ApprovalWish } from '../../src/domain/approval/approval.ts';
import { ok, type Result } from '../../src/lib/result.ts';
import {
  awaitDecision,
  decideOn,
  requestApproval,
  voidApprovalsOf,
} from '../../src/ledger/approvals.ts';
import type { Ledger } from '../../src/ledger/open.ts';
import { approvalList } from '../../src/ledger/queries/approval-list.ts';
import { mintToken, revokeToken, revokeTokensOf, tokenBySecret } from '../../src/ledger/tokens.ts';
import type { Tx } from '../../src/ledger/transaction.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { onBothEngines } from './both-engines.ts';

function valueOf<T>(result: Result<T, unknown>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

const wish: ApprovalWish = {
  kind: 'deploy',
  subject: 'run-1',
  lane: null,
  subjectHash: 'h1',
  summary: 'Deploy',
  details: {},
};
const yes = { verdict: 'approve', channel: 'cli', reason: null, subjectHash: null } as const;

onBothEngines('identity', (place) => {
  let ledger: Ledger;
  let now = 1000;
  let count = 0;
  const ids = { base36: (length: number) => String(count++).padStart(length, '0') };

  beforeEach(async () => {
    ledger = await place.open(() => now++);
  });
  afterEach(async () => {
    const { problems } = await verifyLedger(ledger.db);
    if (problems.length > 0) throw new Error(JSON.stringify(problems));
  });

  async function write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const done = await ledger.write('test', async (tx) => ok(await work(tx)));
    if (!done.ok) throw new Error('refused');
    return done.value;
  }

  const request = (over: Partial<ApprovalWish> = {}): Promise<Approval> =>
    write((tx) => requestApproval(tx, ids, { ...wish, ...over }));

  test('a token is found by its secret and nowhere in the ledger is the secret itself', async () => {
    const { token, id } = valueOf(
      await write((tx) => mintToken(tx, { role: 'viewer', name: 'wall' })),
    );
    expect(await tokenBySecret(ledger.db, token)).toMatchObject({
      id,
      role: 'viewer',
      name: 'wall',
    });
    expect(await tokenBySecret(ledger.db, `${token}x`)).toBeNull();
    const rows = [
      await ledger.db.selectFrom('event').selectAll().execute(),
      await ledger.db.selectFrom('token').selectAll().execute(),
    ];
    expect(JSON.stringify(rows)).not.toContain(token);
  });

  test('a bound role without its subject is not minted', async () => {
    const made = await write((tx) => mintToken(tx, { role: 'worker', subject: 'attempt:a1' }));
    expect(made).toEqual({ ok: false, error: { kind: 'needs-task', role: 'worker' } });
  });

  test('when an attempt ends, its tokens end, and no others', async () => {
    const mint = async (subject: string): Promise<string> =>
      valueOf(await write((tx) => mintToken(tx, { role: 'worker', subject, task: 'web-1' }))).id;
    const mine = [await mint('attempt:a1'), await mint('attempt:a1')];
    await mint('attempt:a2');
    expect(await write((tx) => revokeTokensOf(tx, 'attempt:a1'))).toEqual(mine.toSorted());
    expect(await write((tx) => revokeTokensOf(tx, 'attempt:a1'))).toEqual([]);
  });

  test('a session ends with the token it came from', async () => {
    const parent = valueOf(await write((tx) => mintToken(tx, { role: 'viewer' })));
    const child = valueOf(
      await write((tx) => mintToken(tx, { role: 'viewer', use: 'session', parent: parent.id })),
    );
    const ended = await write((tx) => revokeToken(tx, parent.id, 'gone'));
    expect(ended).toEqual([parent.id, child.id].toSorted());
  });

  test('asking twice about the same thing gives one approval, also after the answer', async () => {
    const first = await request();
    expect((await request()).id).toBe(first.id);
    await write((tx) => decideOn(tx, first.id, yes));
    expect(await request()).toMatchObject({ id: first.id, status: 'approved' });
    expect(await approvalList(ledger.db, { limit: 10 })).toHaveLength(1);
  });

  test('a changed subject voids what was said about the old one, and asks anew', async () => {
    const old = await request();
    await write((tx) => decideOn(tx, old.id, yes));
    const anew = await request({ subjectHash: 'h2' });
    expect(anew).toMatchObject({ status: 'pending', subjectHash: 'h2' });
    const all = await approvalList(ledger.db, { limit: 10 });
    expect(all.map(({ id, status }) => [id, status])).toEqual([
      [old.id, 'void'],
      [anew.id, 'pending'],
    ]);
    const late = await write((tx) => decideOn(tx, old.id, yes));
    expect(late).toMatchObject({ ok: false, error: { kind: 'is-void' } });
  });

  test('lanes of one run and kinds of one lane are asked apart', async () => {
    const all = [
      await request({ lane: 'api' }),
      await request({ lane: 'web', subjectHash: 'h2' }),
      await request({ lane: 'api', kind: 'promote', subjectHash: 'h3' }),
    ];
    expect(new Set(all.map(({ id }) => id)).size).toBe(3);
    const pending = await approvalList(ledger.db, { status: ['pending'], limit: 10 });
    expect(pending).toHaveLength(3);
    expect(await write((tx) => voidApprovalsOf(tx, 'run-1', 'cancelled'))).toHaveLength(3);
  });

  test('DC-69 a waiting reader of another process notices at once', async () => {
    const { id } = await request();
    const other = await place.open(() => now++);
    const asked = Promise.withResolvers<null>();
    const changes = {
      ...other.changes,
      next: (signal?: AbortSignal) => {
        asked.resolve(null);
        return other.changes.next(signal);
      },
    };
    const waits: number[] = [];
    const signal = AbortSignal.timeout(10_000);
    const waiting = awaitDecision({ db: other.db, changes }, id, signal).then((approval) => {
      waits.push(performance.now());
      return approval;
    });
    // Queries of one connection keep their order: after ours, the waiter's first look is over.
    await asked.promise;
    await approvalList(other.db, { limit: 1 });
    const said = performance.now();
    await write((tx) => decideOn(tx, id, { ...yes, verdict: 'reject' }));
    expect(await waiting).toMatchObject({ status: 'rejected', decision: { actor: 'test' } });
    expect((waits[0] ?? Infinity) - said).toBeLessThan(5000);
  });
});
