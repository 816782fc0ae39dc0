import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import * as z from 'zod';
import { ok } from '../src/lib/result.ts';
import type { EngineRig } from '../test/engine/open-rig.ts';
import { paced, runShape } from './lib/engine-run.ts';
import { numberFlag } from './lib/flags.ts';
import { quantile, report, round } from './lib/report.ts';

/**
 * From a blocker's merge to its dependent's process, while other attempts run, against a bare
 * `git worktree add` and a bare spawn under the same load. Flags: --running, --files, --rounds, --links.
 */
const running = numberFlag('running', 100);
const files = numberFlag('files', 1000);
const rounds = numberFlag('rounds', 4);
const links = numberFlag('links', 6);
const Started = z.object({ startedAt: z.number() });
const GATE_MS = 100;
const AIMS = { cold: 3, warm: 1.5 };

const rig = await paced({ agentMs: 20, gateMs: GATE_MS, parallel: running + 8, slots: 2, files });
const pool = { warm: true };
await withSwitch(rig, pool);
rig.start();
await sleepers(rig, running);
const ours = { cold: [] as number[], warm: [] as number[] };
const reference: number[] = [];
// In turns, so that whatever else the machine does meets all three alike.
for (let round_ = 0; round_ < rounds; round_++) {
  for (const how of ['cold', 'warm'] as const) {
    pool.warm = how === 'warm';
    ours[how].push(...(await chainOf(rig, links)));
    for (let n = 0; n < links / 2; n++) reference.push(await bare(rig, `${round_}-${how}-${n}`));
  }
}
await rig.close();

for (const how of ['cold', 'warm'] as const)
  for (const [name, share] of [
    ['p50', 0.5],
    ['p99', 0.99],
  ] as const)
    report({
      name: 'dispatch-latency',
      ours: quantile(ours[how], share),
      reference: quantile(reference, share),
      unit: 'ms',
      aim: AIMS[how],
      pool: how,
      quantile: name,
      samples: ours[how].length,
      running,
      files,
      load: round(loadavg()[0] ?? 0),
    });

/** Worktrees are made ready ahead of time, or not. */
async function withSwitch(place: EngineRig, on: { warm: boolean }): Promise<void> {
  const opened = await place.services.repositories.open(place.path('main'));
  if (!opened.ok) throw new Error(opened.error.kind);
  const { worktrees } = opened.value;
  const warm = worktrees.warm.bind(worktrees);
  worktrees.warm = (commit, count) =>
    on.warm ? warm(commit, count) : Promise.resolve(ok(undefined));
}

/** Attempts that run all the while and use nothing. */
async function sleepers(place: EngineRig, count: number): Promise<void> {
  if (count === 0) return;
  const tasks: string[] = [];
  for (let n = 0; n < count; n++) tasks.push(await place.task(`Sleep ${n}`, { agent: 'sleeper' }));
  await place.launch(...tasks);
  await place.until(
    'asleep',
    async () => {
      const { live } = await place.services.ledger.db
        .selectFrom('attempt')
        .select(({ fn }) => fn.countAll<number>().as('live'))
        .where('status', '=', 'running')
        .executeTakeFirstOrThrow();
      return live >= count;
    },
    600_000,
  );
}

async function chainOf(place: EngineRig, length: number): Promise<number[]> {
  const chain = Array.from({ length: length + 1 }, (_, n) => ({ after: n === 0 ? [] : [n - 1] }));
  const { tasks } = await runShape(place, chain);
  const delays: number[] = [];
  for (const [n, task] of tasks.entries()) {
    if (n === 0) continue;
    const [blocker] = await place.changes(tasks[n - 1] ?? '');
    const [attempt] = await place.attempts(task);
    const record = place.path('.convoy', 'logs', attempt?.id ?? '', 'pid.json');
    const pids: unknown = JSON.parse(readFileSync(record, 'utf8'));
    if (blocker?.status === 'merged') delays.push(Started.parse(pids).startedAt - blocker.at);
  }
  return delays;
}

async function bare(place: EngineRig, name: string): Promise<number> {
  const start = performance.now();
  const worktree = place.path(`bare-${name}`);
  place.git('worktree', 'add', '-q', '-b', `bare-${name}`, worktree, 'main');
  const child = spawn('sh', ['-c', 'exit 0'], { cwd: worktree, stdio: 'ignore' });
  await once(child, 'spawn');
  const took = performance.now() - start;
  await once(child, 'exit');
  place.git('worktree', 'remove', '--force', worktree);
  return took;
}
