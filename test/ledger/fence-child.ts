// Takes the engine's lease in a process of its own; each line it is given is a task to write under it.
import { createInterface } from 'node:readline';
import { ok } from '../../src/lib/result.ts';
import { takeLease } from '../../src/ledger/lease.ts';
import { fencedBy } from '../../src/ledger/lease-fence.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { recordTask } from './tasks.ts';

const [, , location = ''] = process.argv;
const plain = await openLedger(location, Date.now);
const lease = await takeLease(plain.db, plain.engine, {
  name: 'engine',
  holder: 'child',
  ttlMs: -1,
});
if (lease === null) throw new Error('the lease is taken');
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const ledger = fencedBy(plain, lease, () => say('lost'));
say(`holds ${lease.fence}`);
for await (const id of createInterface(process.stdin))
  try {
    await ledger.write('child', async (tx) => {
      await recordTask(tx, id);
      return ok(null);
    });
    say(`wrote ${id}`);
  } catch (error) {
    say(error instanceof Error ? error.message : String(error));
  }
await plain.close();
