import type { Kysely } from 'kysely';
import type { Aggregate, StoredRow } from '../aggregate.ts';
import { prepared } from '../prepared.ts';
import type { Tables } from '../tables.ts';

type Stateful = 'attempt' | 'branch' | 'change' | 'queue' | 'review' | 'run';

/** An aggregate that is one row with its state as JSON and a few columns to look it up by. */
export function rowAggregate<S, E extends { readonly type: string }>(spec: {
  table: Stateful;
  columns: readonly string[];
  evolve: Aggregate<S, E>['evolve'];
  row: (state: S) => { id: string } & Record<string, unknown>;
}): Aggregate<S, E> {
  const { table, evolve } = spec;
  const columns = ['id', 'version', 'state', ...spec.columns];
  const rowOf = (state: S, version: number): StoredRow => ({
    ...spec.row(state),
    version,
    state: JSON.stringify(state),
  });
  const select = prepared(['id'], (db, { id }: { id: string }) =>
    db.selectFrom(table).select(['state', 'version']).where('id', '=', id),
  );
  // oxlint-disable typescript/no-unsafe-type-assertion -- the columns are those of the table, by the spec above
  const insert = prepared(columns, (db, row: StoredRow) =>
    db.insertInto(table).values(row as never),
  );
  const update = prepared(columns, (db, { id, ...row }: StoredRow) =>
    (db as Kysely<Pick<Tables, 'queue'>>)
      .updateTable(table as 'queue')
      .set(row as never)
      .where('id', '=', id),
  );
  return {
    name: table,
    evolve,
    async load(db, id) {
      const [row] = await select(db, { id });
      return row === undefined ? null : { state: JSON.parse(row.state) as S, version: row.version };
    },
    async save(db, { before, after, version }) {
      const row = rowOf(after, version);
      await (before === null ? insert(db, row) : update(db, row));
    },
    stored: (db) => db.selectFrom(table).selectAll().execute(),
    row: rowOf,
    satellites: [],
  };
}
