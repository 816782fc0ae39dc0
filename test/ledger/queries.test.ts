import { beforeEach, expect, test } from 'vitest';
import { taskId } from '../../src/domain/work/ids.ts';
import type { Ledger } from '../../src/ledger/open.ts';
import { convoyOfTasks } from '../../src/ledger/queries/convoy-members.ts';
import { graphTasks, graphTree } from '../../src/ledger/queries/graph-tasks.ts';
import { resolveId } from '../../src/ledger/queries/resolve-id.ts';
import { taskList, tasksById } from '../../src/ledger/queries/task-list.ts';
import { ok } from '../../src/lib/result.ts';
import { onBothEngines } from './both-engines.ts';
import { create, recordTask } from './tasks.ts';

/** More than either engine takes as values of one statement. */
const TOO_MANY = 70_000;

onBothEngines('queries', (place) => {
  let ledger: Ledger;
  beforeEach(async () => {
    ledger = await place.open(() => 1000);
  });
  const found = async (text: string): Promise<string[]> =>
    (await taskList(ledger.db, { text, limit: 10 })).map(({ id }) => id);

  const named = async (text: string): Promise<string[]> =>
    (await resolveId(ledger.db, text, ['task', 'convoy'])).map(({ id }) => id);

  test('ids sort by their bytes, whatever language the database speaks', async () => {
    // A dictionary would ignore the hyphens and dots and put capitals beside small letters.
    const ids = ['b-1', 'B-1', 'a-b', 'ab', 'a.1', 'a-1.10', 'a-1.2', 'é-1', 'a_1'];
    for (const id of ids) await create(ledger, id);
    const listed = await taskList(ledger.db, { limit: 100 });
    expect(listed.map(({ id }) => id)).toEqual([
      'B-1',
      'a-1.10',
      'a-1.2',
      'a-b',
      'a.1',
      'a_1',
      'ab',
      'b-1',
      'é-1',
    ]);
  });

  test('the pages of a list meet without a gap or an overlap', async () => {
    const ids = ['x-1', 'X-1', 'x.1', 'x-1.1', 'y'];
    for (const id of ids) await create(ledger, id);
    const pages: string[] = [];
    for (let after: { createdAt: number; id: string } | undefined; ;) {
      const [task] = await taskList(ledger.db, { limit: 1, after });
      if (task === undefined) break;
      pages.push(task.id);
      after = { createdAt: task.createdAt, id: task.id };
    }
    expect(pages).toEqual(['X-1', 'x-1', 'x-1.1', 'x.1', 'y']);
  });

  test('the beginning of an id names everything that begins with it, and nothing else', async () => {
    for (const id of ['web-a3', 'web-a3f', 'web-A3f', 'web-a4', 'weba3', 'web-a3.1'])
      await create(ledger, id);
    expect(await named('web-a3')).toEqual(['web-a3']);
    expect(await named('web-a')).toEqual(['web-a3', 'web-a3.1', 'web-a3f', 'web-a4']);
    expect(await named('web-A')).toEqual(['web-A3f']);
    expect(await named('web_')).toEqual([]);
  });

  test('a search in titles takes its text literally and does not mind the case', async () => {
    await create(ledger, 'a', { title: 'Reach 100% of Users' });
    await create(ledger, 'b', { title: 'Reach 1000 users' });
    await create(ledger, 'c', { title: 'Say "snake_case!" É' });
    expect(await found('USERS')).toEqual(['a', 'b']);
    expect(await found('100%')).toEqual(['a']);
    expect(await found('snake_case!')).toEqual(['c']);
    expect(await found('snakeXcase')).toEqual([]);
    expect(await found('É')).toEqual(['c']);
  });

  test('numbers come back as numbers, also those beyond 32 bits', async () => {
    const late = await place.open(() => 4_102_444_800_123);
    await create(late, 'a');
    const row = await ledger.db.selectFrom('task').selectAll().executeTakeFirstOrThrow();
    expect(row).toMatchObject({ version: 1, created_at: 4_102_444_800_123, priority: 2 });
    const { count } = await ledger.db
      .selectFrom('task')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    expect(count).toBe(1);
  });

  test('a tree comes oldest first, the tenth child after the second, its edges by what they wait for', async () => {
    await create(ledger, 'e', { type: 'epic' });
    const parent = taskId('e');
    const dependencies = ['e.2', 'e.10', 'e.1'].map((on) => ({ on: taskId(on), kind: 'blocks' }));
    for (const id of ['e.10', 'e.2', 'e.1']) await create(ledger, id, { parent });
    await create(ledger, 'e.3', { parent, dependencies });
    const tree = await graphTree(ledger.db, ['e'], null);
    expect(tree.map(({ id }) => id)).toEqual(['e', 'e.1', 'e.2', 'e.3', 'e.10']);
    expect(tree[3]?.dependencies.map(({ on }) => on)).toEqual(['e.1', 'e.10', 'e.2']);
  });

  test('lists longer than one statement can hold are asked in pieces', async () => {
    const ids = Array.from({ length: TOO_MANY }, (_, each) => `none-${each}`);
    await ledger.write('test', async (tx) => {
      await recordTask(tx, 'p-1');
      return ok(await recordTask(tx, 'p-2', { parent: taskId('p-1') }));
    });
    const asked = ['p-2', ...ids, 'p-1'];
    expect(new Set((await tasksById(ledger.db, asked)).map(({ id }) => id))).toEqual(
      new Set(['p-1', 'p-2']),
    );
    expect((await graphTasks(ledger.db, asked)).map(({ id }) => id)).toEqual(['p-1', 'p-2']);
    expect(new Set((await graphTree(ledger.db, ['p-1'], null)).map(({ id }) => id))).toEqual(
      new Set(['p-1', 'p-2']),
    );
    expect((await convoyOfTasks(ledger.db, asked)).size).toBe(0);
  });
});
