// Kills the engine at random during convoys with misbehaving agents and faults of the world around them:
//   npm run torture -- --seeds N [--from M] [--tasks N] [--kills N]
//   npm run torture -- --simulated --seeds N [--from M]   the same loops in virtual time, far more of them
// Each seed prints one JSON line; the exit code is 1 when an invariant broke.
import { bundleDaemon } from '../test/crash/daemon-bundle.ts';
import { torture } from '../test/crash/engine-torture.ts';

const flag = (name, otherwise) => {
  const place = process.argv.indexOf(`--${name}`);
  return place === -1 ? otherwise : Number(process.argv[place + 1]);
};

const first = flag('from', 1);
const seeds = flag('seeds', 5);
if (process.argv.includes('--simulated')) {
  const { playSeed } = await import('../test/simulator/seeds.ts');
  for (let seed = first; seed < first + seeds; seed++) report(await playSeed(seed));
  process.exit();
}

const bundle = await bundleDaemon();
try {
  for (let seed = first; seed < first + seeds; seed++) {
    const life = { least: 150, most: 1500 };
    const outcome = await torture(bundle, {
      seed,
      tasks: flag('tasks', 12),
      kills: flag('kills', 10),
      life,
      misbehave: true,
      faults: true,
      count: true,
    });
    report(outcome);
  }
} finally {
  bundle.remove();
}

function report(outcome) {
  console.log(JSON.stringify(outcome));
  if (outcome.broken.length > 0) process.exitCode = 1;
}
