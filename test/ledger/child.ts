// Opens the ledger at argv[2] in a process of its own and does argv[3] with it.
import { ok } from '../../src/lib/result.ts';
import { openLedger } from '../../src/ledger/open.ts';
import { recordTask } from './tasks.ts';

const [, , location = '', what = '', id = ''] = process.argv;
const ledger = await openLedger(location, Date.now);
await ledger.write('child', async (tx) => {
  await recordTask(tx, id);
  if (what === 'die-before-commit') process.kill(process.pid, 'SIGKILL');
  return ok(null);
});
if (what === 'die-after-commit') process.kill(process.pid, 'SIGKILL');
await ledger.close();
