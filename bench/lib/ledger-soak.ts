import { taskId } from '../../src/domain/work/ids.ts';
import { newTask } from '../../src/domain/work/new-task.ts';
import { taskAggregate } from '../../src/ledger/aggregates/task.ts';
import { type Ledger, openLedger } from '../../src/ledger/open.ts';
import { eventsAfter } from '../../src/ledger/queries/events-after.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { ok } from '../../src/lib/result.ts';
import { draftOf } from './bare-ledger.ts';
import { quantile, round } from './report.ts';

const SOAK_MS = Number(process.env['SOAK_MS'] ?? 30_000);
const WRITERS = 16;
const LEDGERS = 4;
const NOTES = 3;

/**
 * Writers and readers on a few connection pools for half a minute. Afterwards every acknowledged
 * command must be there, each reader must have had every event once and in order, and the chain
 * must hold.
 */
export async function soak(url: string): Promise<void> {
  const ledgers = await Promise.all(
    Array.from({ length: LEDGERS }, () => openLedger(url, Date.now)),
  );
  const [first] = ledgers;
  if (first === undefined) throw new Error('No ledger');
  const over = new AbortController();
  const readers = ledgers.map((ledger) => read(ledger, over.signal));
  const start = performance.now();
  const acknowledged = new Set<string>();
  const waits: number[] = [];
  await Promise.all(
    Array.from({ length: WRITERS }, async (_, writer) => {
      const ledger = ledgers[writer % LEDGERS] ?? first;
      for (let turn = 0; performance.now() - start < SOAK_MS; turn++) {
        const before = performance.now();
        acknowledged.add(await command(ledger, writer, turn));
        waits.push(performance.now() - before);
      }
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  await first.seal();
  over.abort();
  const seen = await Promise.all(readers);
  const { events, problems } = await verifyLedger(first.db);
  for (const ledger of ledgers) await ledger.close();
  const lost = seen.flatMap((reader) =>
    [...acknowledged].filter((name) => !reader.names.has(name)),
  );
  const figures = {
    name: 'ledger-soak',
    engine: 'postgres',
    writers: WRITERS,
    seconds: round(seconds),
    commands: acknowledged.size,
    perSecond: Math.round(acknowledged.size / seconds),
    p50ms: round(quantile(waits, 0.5)),
    p99ms: round(quantile(waits, 0.99)),
    events,
    delivered: seen.map(({ count }) => count),
    disordered: seen.reduce((sum, reader) => sum + reader.disordered, 0),
    lost: lost.length,
    problems: problems.length,
  };
  console.log(JSON.stringify(figures));
  const complete = seen.every(({ count }) => count === events) && events === acknowledged.size;
  if (!complete || lost.length > 0 || figures.disordered > 0 || problems.length > 0)
    process.exitCode = 1;
}

/** Creates a task, then changes it a few times. */
async function command(ledger: Ledger, writer: number, turn: number): Promise<string> {
  const id = `s${writer}-${Math.floor(turn / (NOTES + 1))}`;
  const name = `${writer}/${turn}`;
  await ledger.write(name, async (tx) => {
    if (turn % (NOTES + 1) > 0)
      return ok(await tx.record(taskAggregate, id, [{ type: 'task-held', reason: name }]));
    const task = newTask(taskId(id), draftOf(id), name, tx.at);
    return ok(await tx.record(taskAggregate, id, [{ type: 'task-created', task }]));
  });
  return name;
}

type Read = { count: number; disordered: number; names: Set<string> };

async function read(ledger: Ledger, over: AbortSignal): Promise<Read> {
  const seen: Read = { count: 0, disordered: 0, names: new Set() };
  let last = 0;
  for (;;) {
    const ending = over.aborted;
    const woken = ledger.changes.next(over);
    const page = await eventsAfter(ledger.db, last, { limit: 500 });
    for (const { seq, actor } of page) {
      if (seq !== last + 1 || seen.names.has(actor)) seen.disordered += 1;
      last = seq;
      seen.count += 1;
      seen.names.add(actor);
    }
    if (page.length > 0) continue;
    if (ending) return seen;
    await woken;
  }
}
