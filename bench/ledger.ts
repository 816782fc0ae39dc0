import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newTask } from '../src/domain/work/new-task.ts';
import { taskId } from '../src/domain/work/ids.ts';
import { taskAggregate } from '../src/ledger/aggregates/task.ts';
import { type Ledger, openLedger } from '../src/ledger/open.ts';
import { verifyLedger } from '../src/ledger/verify.ts';
import { ok } from '../src/lib/result.ts';
import { startPostgres } from '../test/postgres/server.ts';
import { type Bare, barePostgres, bareSqlite, draftOf } from './lib/bare-ledger.ts';
import { soak } from './lib/ledger-soak.ts';
import { median, report } from './lib/report.ts';

const ROUNDS = 7;
const ROUND_MS = Number(process.env['ROUND_MS'] ?? 400);
const WRITERS = [1, 16];

/** Durable commands per second, against the same statements in a hand-written transaction. */
async function commandsPerSecond(engine: string, place: string, bare: Bare): Promise<void> {
  const ledger = await openLedger(place, Date.now);
  for (const writers of WRITERS) {
    const ours: number[] = [];
    const reference: number[] = [];
    for (let round = 0; round <= ROUNDS; round++) {
      const theirs = await rate(writers, () => bare.writer());
      const mine = await rate(writers, async () => (id) => create(ledger, id), ledger);
      // The first round warms up.
      if (round === 0) continue;
      reference.push(theirs);
      ours.push(mine);
    }
    report({
      name: 'ledger',
      engine,
      writers,
      ours: median(ours),
      reference: median(reference),
      unit: 'commands/s',
      better: 'higher',
    });
  }
  await ledger.seal();
  await ledger.close();
  await bare.close();
}

let rounds = 0;

/** How many commands the writers get acknowledged per second, until the last event is sealed. */
async function rate(
  writers: number,
  writer: () => Promise<(id: string) => Promise<void>>,
  ledger?: Ledger,
): Promise<number> {
  const run = rounds++;
  const all = await Promise.all(Array.from({ length: writers }, () => writer()));
  const start = performance.now();
  const done = await Promise.all(
    all.map(async (write, place) => {
      let count = 0;
      for (; performance.now() - start < ROUND_MS; count++)
        await write(`b${run}-${place}-${count.toString(36)}`);
      return count;
    }),
  );
  await ledger?.seal();
  return (done.reduce((sum, count) => sum + count, 0) * 1000) / (performance.now() - start);
}

async function create(ledger: Ledger, id: string): Promise<void> {
  await ledger.write('bench', async (tx) => {
    const task = newTask(taskId(id), draftOf(id), 'bench', tx.at);
    return ok(await tx.record(taskAggregate, id, [{ type: 'task-created', task }]));
  });
}

/** What was measured must also be right. */
async function checked(place: string): Promise<void> {
  const ledger = await openLedger(place, Date.now);
  const { problems } = await verifyLedger(ledger.db);
  await ledger.close();
  if (problems.length > 0) throw new Error(`The ledger is wrong: ${problems[0]?.message}`);
}

async function onSqlite(): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'convoy-bench-'));
  try {
    const [ours, theirs] = ['ours.db', 'theirs.db'].map((name) => join(dir, name));
    if (ours === undefined || theirs === undefined) return;
    await (await openLedger(theirs, Date.now)).close();
    await commandsPerSecond('sqlite', ours, bareSqlite(theirs));
    await checked(ours);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

async function onPostgres(run: (ours: string, theirs: string) => Promise<void>): Promise<void> {
  const server = await startPostgres({ durable: true });
  if (server === null) return console.error('No Postgres server on this machine; not measured.');
  try {
    // Two databases that every server has; the one for templates is ours to use here.
    const [ours, theirs] = [server.url('postgres'), server.url('template1')];
    await (await openLedger(theirs, Date.now)).close();
    await run(ours, theirs);
  } finally {
    await server.stop();
  }
}

if (process.argv.includes('--soak')) {
  await onPostgres((ours) => soak(ours));
} else {
  await onSqlite();
  await onPostgres(async (ours, theirs) => {
    await commandsPerSecond('postgres', ours, barePostgres(theirs));
    await checked(ours);
  });
}
