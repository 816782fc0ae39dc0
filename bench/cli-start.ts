import { spawnSync } from 'node:child_process';
import { median, report, timed } from './lib/report.ts';

const ROUNDS = 25;
const env = { ...process.env, NODE_EXTRA_CA_CERTS: '' };
const run = (args: readonly string[]): Promise<number> =>
  timed(() => spawnSync(process.execPath, args, { env }));

/** Start of the command line against an empty script on the same Node, taken in turns. */
const bare: number[] = [];
const version: number[] = [];
const help: number[] = [];
for (let round = 0; round < ROUNDS; round++) {
  bare.push(await run(['-e', '0']));
  version.push(await run(['bin/convoy.js', '--version']));
  help.push(await run(['bin/convoy.js', '--help']));
}
report({
  name: 'cli-start',
  what: '--version',
  ours: median(version),
  reference: median(bare),
  unit: 'ms',
});
report({
  name: 'cli-start',
  what: '--help',
  ours: median(help),
  reference: median(bare),
  unit: 'ms',
});
