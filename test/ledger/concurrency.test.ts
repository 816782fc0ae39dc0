import { beforeEach, expect, test } from 'vitest';
import type { TaskEvent } from '../../src/domain/work/events.ts';
import { taskId } from '../../src/domain/work/ids.ts';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import type { Ledger } from '../../src/ledger/open.ts';
import { eventsAfter, type SealedEvent } from '../../src/ledger/queries/events-after.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { ok } from '../../src/lib/result.ts';
import { onBothEngines } from './both-engines.ts';
import { create, recordTask } from './tasks.ts';

const WRITERS = 16;
/** How long the readers and writers run against each other. */
const STRESS_MS = Number(process.env['CONVOY_STRESS_MS'] ?? 2000);

onBothEngines('many writers', (place) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await place.open();
  });

  test('no reader that follows the feed misses or reorders an event', async () => {
    const ledgers = [ledger, await place.open(), await place.open()];
    const over = new AbortController();
    const deadline = performance.now() + STRESS_MS;
    const readers = ledgers.map((each) => follow(each, over.signal));
    const written = await Promise.all(
      Array.from({ length: WRITERS }, (_, writer) =>
        writeUntil(deadline, ledgers[writer % ledgers.length] ?? ledger, writer),
      ),
    );
    await ledger.seal();
    const all = await everything(ledger);
    over.abort();
    for (const reader of readers) {
      const seen = await reader;
      expect(seen.map(({ seq }) => seq)).toEqual(seen.map((_, index) => index + 1));
      expect(seen).toEqual(all.slice(0, seen.length));
      expect(seen).toHaveLength(all.length);
    }
    const acknowledged = written.flat().toSorted();
    expect(
      all.map(({ subject, data }) => `${subject} ${String(data['reason'])}`).toSorted(),
    ).toEqual(acknowledged);
    expect(await verifyLedger(ledger.db)).toMatchObject({ events: all.length, problems: [] });
  });

  test('everybody who changes the same task at once gets through, each after another', async () => {
    await create(ledger, 'hot');
    const other = await place.open();
    const each = 10;
    await Promise.all(
      Array.from({ length: WRITERS }, async (_, writer) => {
        for (let round = 0; round < each; round++)
          await (writer % 2 === 0 ? ledger : other).write('test', async (tx) => {
            const before = await tx.load(taskAggregate, 'hot');
            const note = String(before?.version);
            return ok(await tx.record(taskAggregate, 'hot', [noted(note)]));
          });
      }),
    );
    await ledger.seal();
    const events = await eventsAfter(ledger.db, 1, { limit: 1000 });
    // Each saw the version that was there when it was recorded: nobody decided on an old state.
    expect(events.map(({ data }) => data['reason'])).toEqual(
      Array.from({ length: WRITERS * each }, (_, done) => String(done + 1)),
    );
  });

  test('the rows of one command are seen together or not at all', async () => {
    const other = await place.open();
    const pairs = Array.from({ length: 20 }, (_, pair) => pair);
    const writing = Promise.all(
      pairs.map((pair) =>
        ledger.write('test', async (tx) => {
          await recordTask(tx, `a-${pair}`);
          return ok(await recordTask(tx, `b-${pair}`));
        }),
      ),
    ).then(() => true);
    for (let done = false; !done;) {
      const rows = await other.db.selectFrom('task').select('id').execute();
      const [a, b] = ['a-', 'b-'].map(
        (first) => rows.filter(({ id }) => id.startsWith(first)).length,
      );
      expect(a).toBe(b);
      done = await Promise.race([
        writing,
        new Promise<false>((resolve) => setImmediate(resolve, false)),
      ]);
    }
    expect(await verifyLedger(other.db)).toMatchObject({ events: 40, problems: [] });
  });

  test('commands that ask to be alone run one after the other', async () => {
    const other = await place.open();
    let inside = 0;
    let most = 0;
    await Promise.all(
      Array.from({ length: 12 }, (_, writer) =>
        (writer % 2 === 0 ? ledger : other).write('test', async (tx) => {
          await tx.alone('graph');
          most = Math.max(most, ++inside);
          await recordTask(tx, `alone-${writer}`, { parent: taskId('none') });
          inside -= 1;
          return ok(null);
        }),
      ),
    );
    expect(most).toBe(1);
  });
});

const noted = (reason: string): TaskEvent => ({ type: 'task-held', reason });

/** Creates tasks and notes on them until it is time; says what was acknowledged. */
async function writeUntil(deadline: number, ledger: Ledger, writer: number): Promise<string[]> {
  const done: string[] = [];
  for (let round = 0; performance.now() < deadline; round++) {
    const id = `w${writer}-${Math.floor(round / 3)}`;
    if (round % 3 === 0) {
      await create(ledger, id);
      done.push(`task/${id} undefined`);
    } else {
      const note = `${round}`;
      await ledger.write('test', async (tx) =>
        ok(await tx.record(taskAggregate, id, [noted(note)])),
      );
      done.push(`task/${id} ${note}`);
    }
  }
  return done;
}

/** Reads the feed as a client would: what comes after the last event seen, again and again. */
async function follow(ledger: Ledger, over: AbortSignal): Promise<SealedEvent[]> {
  const seen: SealedEvent[] = [];
  for (;;) {
    const last = over.aborted;
    const woken = ledger.changes.next(over);
    const page = await eventsAfter(ledger.db, seen.at(-1)?.seq ?? 0, { limit: 200 });
    seen.push(...page);
    if (page.length > 0) continue;
    if (last) return seen;
    await woken;
  }
}

async function everything(ledger: Ledger): Promise<SealedEvent[]> {
  const all: SealedEvent[] = [];
  for (;;) {
    const page = await eventsAfter(ledger.db, all.length, { limit: 5000 });
    if (page.length === 0) return all;
    all.push(...page);
  }
}
