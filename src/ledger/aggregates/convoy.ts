import type { Kysely } from 'kysely';
import type { Convoy } from '../../domain/convoy/convoy.ts';
import type { ConvoyEvent } from '../../domain/convoy/events.ts';
import { evolveConvoy } from '../../domain/convoy/evolve.ts';
import type { Aggregate, Change, Satellite, Stored } from '../aggregate.ts';
import { chunks } from '../chunks.ts';
import { prepared } from '../prepared.ts';
import type { Tables } from '../tables.ts';

const members: Satellite<ConvoyEvent> = {
  async stored(db) {
    const rows = await db.selectFrom('convoy_task').selectAll().execute();
    return rows.map(({ convoy, task }) => ({ id: convoy, fact: task }));
  },
  fold(facts, _, event) {
    if (event.type === 'tasks-tracked') for (const task of event.tasks) facts.add(task);
    if (event.type === 'tasks-untracked') for (const task of event.tasks) facts.delete(task);
  },
};

/** A convoy's row and its members. */
export const convoyAggregate: Aggregate<Convoy, ConvoyEvent> = {
  name: 'convoy',
  evolve: evolveConvoy,
  load,
  save,
  stored: (db) => db.selectFrom('convoy').selectAll().execute(),
  row: convoyRow,
  satellites: [members],
};

async function load(db: Kysely<Tables>, id: string): Promise<Stored<Convoy> | null> {
  const [row] = await selectConvoy(db, { id });
  if (row === undefined) return null;
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only save() writes this column
  return { state: JSON.parse(row.state) as Convoy, version: row.version };
}

async function save(db: Kysely<Tables>, change: Change<Convoy, ConvoyEvent>): Promise<void> {
  const row = convoyRow(change.after, change.version);
  await (change.before === null ? insertConvoy(db, row) : updateConvoy(db, row));
  for (const event of change.events) {
    if (event.type === 'tasks-tracked') await track(db, change.id, event.tasks);
    if (event.type === 'tasks-untracked') await untrack(db, change.id, event.tasks);
  }
}

async function track(db: Kysely<Tables>, convoy: string, tasks: readonly string[]): Promise<void> {
  for (const some of chunks(tasks))
    await db
      .insertInto('convoy_task')
      .values(some.map((task) => ({ convoy, task })))
      .execute();
}

async function untrack(
  db: Kysely<Tables>,
  convoy: string,
  tasks: readonly string[],
): Promise<void> {
  for (const some of chunks(tasks))
    await db
      .deleteFrom('convoy_task')
      .where('convoy', '=', convoy)
      .where('task', 'in', some)
      .execute();
}

const COLUMNS = [
  'id',
  'version',
  'status',
  'title',
  'feeding',
  'epic',
  'created_at',
  'ended_at',
  'state',
] as const;
type Row = Pick<Tables['convoy'], (typeof COLUMNS)[number]>;

function convoyRow(convoy: Convoy, version: number): Row {
  return {
    id: convoy.id,
    version,
    status: convoy.status,
    title: convoy.title,
    feeding: convoy.feeding ? 1 : 0,
    epic: convoy.epic,
    created_at: convoy.createdAt,
    ended_at: convoy.endedAt,
    state: JSON.stringify(convoy),
  };
}

const selectConvoy = prepared(['id'], (db, { id }: { id: string }) =>
  db.selectFrom('convoy').select(['state', 'version']).where('id', '=', id),
);

const insertConvoy = prepared(COLUMNS, (db, row: Row) => db.insertInto('convoy').values(row));

const updateConvoy = prepared(COLUMNS, (db, { id, ...row }: Row) =>
  db.updateTable('convoy').set(row).where('id', '=', id),
);
