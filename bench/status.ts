import { spawnSync } from 'node:child_process';
import { listConvoys, showConvoy, why } from '../src/contract/routes/convoys.ts';
import { newConvoy } from '../src/domain/convoy/new-convoy.ts';
import { convoyId, taskId } from '../src/domain/work/ids.ts';
import { convoyAggregate } from '../src/ledger/aggregates/convoy.ts';
import { ok } from '../src/lib/result.ts';
import { median, quantile, report, timed } from './lib/report.ts';
import { benchWorkspace, writeTask } from './lib/workspace.ts';

const CONVOYS = 200;
const TASKS = 50;
const ROUNDS = 40;

/** Asks about 200 convoys of 50 tasks: in process, and through the whole command line. */
const { client, services, dir, close } = await benchWorkspace();
await services.ledger.write('bench', async (tx) => {
  for (let convoy = 0; convoy < CONVOYS; convoy++) {
    const id = convoyId(`cv-${convoy}`);
    const tasks = [];
    for (let each = 0; each < TASKS; each++) {
      const task = taskId(`b-${convoy}x${each}`);
      const before = each === 0 ? [] : [{ on: taskId(`b-${convoy}x${each - 1}`), kind: 'blocks' }];
      await writeTask(tx, task, { dependencies: before });
      tasks.push(task);
    }
    await tx.record(convoyAggregate, id, [
      {
        type: 'convoy-created',
        convoy: newConvoy(id, {
          title: `Convoy ${convoy}`,
          status: 'open',
          epic: null,
          options: {},
          by: 'bench',
          at: tx.at,
          waveCount: null,
        }),
      },
      { type: 'tasks-tracked', tasks },
    ]);
  }
  return ok(null);
});

const bare = await many(() =>
  services.ledger.db.selectFrom('convoy_task').selectAll().where('convoy', '=', 'cv-7').execute(),
);
const asks = {
  list: () => client.call(listConvoys, { query: { limit: 200 } }),
  status: () => client.call(showConvoy, { params: { id: 'cv-7' } }),
  why: () => client.call(why, { params: { id: 'b-7x30' } }),
};
for (const [ask, call] of Object.entries(asks)) {
  const times = await many(call);
  report({
    name: 'status',
    ask,
    ours: quantile(times, 0.95),
    median: Math.round(median(times) * 100) / 100,
    reference: quantile(bare, 0.95),
    unit: 'ms p95 in process',
  });
}
const env = { ...process.env, NODE_EXTRA_CA_CERTS: '' };
const node: number[] = [];
const cli: number[] = [];
for (let round = 0; round < 15; round++) {
  node.push(await timed(() => spawnSync(process.execPath, ['-e', '0'], { env })));
  cli.push(
    await timed(() =>
      spawnSync(process.execPath, ['bin/convoy.js', '-C', dir, 'status', 'cv-7'], { env }),
    ),
  );
}
report({
  name: 'status',
  ask: 'whole CLI',
  ours: median(cli),
  reference: median(node),
  unit: 'ms',
});
await close();

async function many(ask: () => Promise<unknown>): Promise<number[]> {
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round++) times.push(await timed(ask));
  return times;
}
