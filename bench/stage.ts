import { stageConvoy } from '../src/contract/routes/convoys.ts';
import { taskId } from '../src/domain/work/ids.ts';
import { ok } from '../src/lib/result.ts';
import { median, report, timed } from './lib/report.ts';
import { benchWorkspace, writeTask } from './lib/workspace.ts';

const ROUNDS = 5;
const FAN_OUT = 100;

/** Stages an epic whose sub-epics hold chained tasks, against a bare read of the same rows. */
async function stage(tasks: number): Promise<void> {
  const { client, services, close } = await benchWorkspace();
  const { ledger } = services;
  await ledger.write('bench', async (tx) => {
    await writeTask(tx, 'b-root', { type: 'epic' });
    for (let each = 0; each < tasks; each++) {
      const epic = `b-root.${Math.floor(each / FAN_OUT) + 1}`;
      if (each % FAN_OUT === 0)
        await writeTask(tx, epic, { type: 'epic', parent: taskId('b-root') });
      const before =
        each % FAN_OUT === 0 ? [] : [{ on: taskId(`${epic}.${each % FAN_OUT}`), kind: 'blocks' }];
      await writeTask(tx, `${epic}.${(each % FAN_OUT) + 1}`, {
        parent: taskId(epic),
        dependencies: before,
      });
    }
    return ok(null);
  });
  const bare = async (): Promise<void> => {
    await ledger.db
      .selectFrom('task')
      .select(['id', 'title', 'parent', 'status', 'repo'])
      .execute();
    await ledger.db.selectFrom('dependency').selectAll().execute();
  };
  const ours: number[] = [];
  const reference: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    reference.push(await timed(bare));
    ours.push(
      await timed(async () => {
        const answer = await client.call(stageConvoy, { body: { targets: ['b-root'] } });
        if (!answer.ok || answer.value.status === 'error') throw new Error('Not staged');
        if (answer.value.tree.length !== tasks + tasks / FAN_OUT + 1) throw new Error('Not whole');
      }),
    );
  }
  report({
    name: 'stage',
    tasks,
    ours: median(ours),
    first: Math.round(ours[0] ?? 0),
    reference: median(reference),
    unit: 'ms',
  });
  await close();
}

const sizes = process.env['SIZES']?.split(',').map(Number) ?? [100, 1000, 10_000, 100_000];
for (const tasks of sizes) await stage(tasks);
