import { driveRun } from '../../src/engine/ship/drive-run.ts';
import { openWorld } from './rig.ts';

// Drives a run and is killed, as by kill -9, right before or after the N-th write to its ledger.
const [dir = '', place = '', run = '', point = '0', when = 'after'] = process.argv.slice(2);
const world = await openWorld(dir, place);
let writes = 0;
const die = (): void => {
  process.kill(process.pid, 'SIGKILL');
};
const write: typeof world.ledger.write = async (actor, work) => {
  writes += 1;
  if (when === 'before' && writes === Number(point)) die();
  const result = await world.ledger.write(actor, work);
  if (when === 'after' && writes === Number(point)) die();
  return result;
};
const dying = { ...world, ledger: { ...world.ledger, write } };
await driveRun(dying, run, { wait: false, signal: new AbortController().signal });
process.stdout.write(`${writes}`);
process.exit(0);
