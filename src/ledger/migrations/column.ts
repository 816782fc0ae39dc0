import type { ColumnDefinitionBuilder } from 'kysely';
import type { LedgerEngine } from '../engine.ts';

/** The few column types that differ between the engines. */
export type Column = {
  readonly integer: 'integer' | 'bigint';
  readonly rowId: 'integer' | 'bigserial';
  readonly asRowId: (column: ColumnDefinitionBuilder) => ColumnDefinitionBuilder;
  /** Events get their place in the feed after the commit. */
  readonly sealsLater: boolean;
};

export const columnsOf = (engine: LedgerEngine): Column =>
  engine === 'sqlite'
    ? {
        integer: 'integer',
        rowId: 'integer',
        asRowId: (c) => c.primaryKey().autoIncrement(),
        sealsLater: false,
      }
    : {
        integer: 'bigint',
        rowId: 'bigserial',
        asRowId: (c) => c.primaryKey(),
        sealsLater: true,
      };
