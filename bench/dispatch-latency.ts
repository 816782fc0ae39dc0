import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { paced, runShape } from './lib/engine-run.ts';
import { quantile, report } from './lib/report.ts';

/** From a blocker's merge to its dependent's process, against a bare worktree and a bare spawn. */
const LINKS = 20;

const rig = await paced({ agentMs: 20, gateMs: 5, parallel: 4, slots: 2 });
const chain = Array.from({ length: LINKS }, (_, n) => ({ after: n === 0 ? [] : [n - 1] }));
const { tasks } = await runShape(rig, chain);
const ours: number[] = [];
for (const [n, task] of tasks.entries()) {
  if (n === 0) continue;
  const [blocker] = await rig.changes(tasks[n - 1] ?? '');
  const began = Number(rig.git('show', `main:start-${task}`));
  if (blocker?.status === 'merged') ours.push(began - blocker.at);
}

const reference: number[] = [];
for (let n = 0; n < LINKS; n++) {
  const start = performance.now();
  const place = rig.path(`bare-${n}`);
  rig.git('worktree', 'add', '-q', '-b', `bare-${n}`, place, 'main');
  const child = spawn('sh', ['-c', 'exit 0'], { cwd: place, stdio: 'ignore' });
  await once(child, 'spawn');
  reference.push(performance.now() - start);
  await once(child, 'exit');
}
execFileSync('git', ['worktree', 'prune'], { cwd: rig.path('main') });
await rig.close();

for (const [name, share] of [
  ['p50', 0.5],
  ['p99', 0.99],
] as const)
  report({
    name: 'dispatch-latency',
    ours: quantile(ours, share),
    reference: quantile(reference, share),
    unit: 'ms',
    quantile: name,
    samples: ours.length,
  });
