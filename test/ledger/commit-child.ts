// Commits to the ledger at argv[2] as its standard input asks, an event or a lease per line.
import { createInterface } from 'node:readline';
import { openLedger } from '../../src/ledger/open.ts';
import { takeLease } from '../../src/ledger/lease.ts';
import { create } from './tasks.ts';

const ledger = await openLedger(process.argv[2] ?? '', Date.now);
process.stdout.write('open\n');
let nth = 0;
for await (const what of createInterface({ input: process.stdin })) {
  if (what === 'event') await create(ledger, `web-${process.pid}-${nth++}`);
  else await takeLease(ledger.db, ledger.engine, { name: 'engine', holder: 'b', ttlMs: 1000 });
  process.stdout.write('committed\n');
}
await ledger.close();
