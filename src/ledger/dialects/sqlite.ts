import { closeSync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
  type TransactionSettings,
} from 'kysely';
import { patiently } from '../patience.ts';

/**
 * Kysely on Node's own SQLite. Kysely's stock dialect expects another driver's flags and answers
 * every select with no rows when given this one, hence this small dialect.
 */
export function sqliteDialect(file: string): Dialect {
  return {
    createAdapter: () => new TransactionalAdapter(),
    createDriver: () => new SqliteDriver(file),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  };
}

/** SQLite can undo DDL; a migration that is killed half-way must leave nothing. */
class TransactionalAdapter extends SqliteAdapter {
  override get supportsTransactionalDdl(): boolean {
    return true;
  }
}

/** How long SQLite itself waits for another process before we take over with jittered retries. */
const BUSY_MS = 500;
const MOST_STATEMENTS = 300;

/** One connection, handed to one user at a time: SQLite has one writer anyway. */
class SqliteDriver implements Driver {
  readonly #file: string;
  #connection: SqliteConnection | null = null;
  #queue: Promise<void> = Promise.resolve();
  #release: () => void = () => {};

  constructor(file: string) {
    this.#file = file;
  }

  async init(): Promise<void> {
    this.#connection = await patiently(() => open(this.#file));
  }

  async acquireConnection(): Promise<DatabaseConnection> {
    const before = this.#queue;
    const turn = Promise.withResolvers<void>();
    this.#queue = turn.promise;
    await before;
    this.#release = turn.resolve;
    if (this.#connection === null) throw new Error('The ledger is closed');
    return this.#connection;
  }

  async releaseConnection(): Promise<void> {
    this.#release();
  }

  async beginTransaction(_: DatabaseConnection, settings: TransactionSettings): Promise<void> {
    // IMMEDIATE: a deferred transaction that reads first is thrown away when another writer commits.
    const begin = settings.accessMode === 'read only' ? 'begin' : 'begin immediate';
    await patiently(() => this.#connection?.begin(begin));
  }

  async commitTransaction(): Promise<void> {
    await patiently(() => this.#connection?.end('commit'));
  }

  async rollbackTransaction(): Promise<void> {
    this.#connection?.end('rollback');
  }

  async destroy(): Promise<void> {
    this.#connection?.close();
    this.#connection = null;
  }
}

function open(file: string): SqliteConnection {
  createPrivately(file);
  const db = new DatabaseSync(file, { timeout: BUSY_MS });
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory');
  return new SqliteConnection(db);
}

/**
 * A new ledger is its owner's alone; SQLite gives the files beside it the same mode. Never opens one
 * that exists: closing it again would drop the locks that this process holds on it.
 */
function createPrivately(file: string): void {
  if (file === ':memory:') return;
  try {
    closeSync(openSync(file, 'wx', 0o600));
  } catch {
    // It is there already, or cannot be made, which SQLite says better.
  }
}

class SqliteConnection implements DatabaseConnection {
  readonly #db: DatabaseSync;
  readonly #statements = new Map<string, Prepared>();
  #inTransaction = false;

  constructor(db: DatabaseSync) {
    this.#db = db;
  }

  async executeQuery<Row>(query: CompiledQuery): Promise<QueryResult<Row>> {
    // Outside a transaction any statement may find another process writing.
    if (!this.#inTransaction) return patiently(() => this.#run(query));
    return this.#run(query);
  }

  #run<Row>(query: CompiledQuery): QueryResult<Row> {
    const { statement, reads } = this.#prepare(query.sql);
    const values = query.parameters.map(bindable);
    // oxlint-disable typescript/no-unsafe-type-assertion -- Kysely's query decides the row type
    if (reads) return { rows: statement.all(...values) as Row[] };
    const { changes, lastInsertRowid } = statement.run(...values);
    return {
      rows: [],
      numAffectedRows: BigInt(changes),
      insertId: BigInt(lastInsertRowid),
    };
  }

  // oxlint-disable-next-line require-yield -- nothing of ours streams rows
  async *streamQuery<Row>(): AsyncIterableIterator<QueryResult<Row>> {
    throw new Error('Streaming is not supported on SQLite');
  }

  begin(sql: string): void {
    this.#prepare(sql).statement.run();
    this.#inTransaction = true;
  }

  end(sql: 'commit' | 'rollback'): void {
    // After a full disk SQLite has undone the transaction by itself.
    const isUndone = sql === 'rollback' && !this.#db.isTransaction;
    if (!isUndone) this.#prepare(sql).statement.run();
    this.#inTransaction = false;
  }

  close(): void {
    this.#statements.clear();
    this.#db.close();
  }

  #prepare(sql: string): Prepared {
    const known = this.#statements.get(sql);
    if (known !== undefined) return known;
    if (this.#statements.size >= MOST_STATEMENTS) this.#statements.clear();
    const statement = this.#db.prepare(sql);
    const prepared = { statement, reads: statement.columns().length > 0 };
    this.#statements.set(sql, prepared);
    return prepared;
  }
}

type Prepared = { readonly statement: StatementSync; readonly reads: boolean };

function bindable(value: unknown): null | number | bigint | string | Uint8Array {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || value === undefined) return null;
  if (typeof value === 'string') return storable(value);
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  if (value instanceof Uint8Array) return value;
  throw new TypeError(`Not a ledger value: ${typeof value}`);
}

/** Postgres cannot hold it in a text, so neither engine takes it. JSON is free to: there it is escaped. */
function storable(text: string): string {
  if (text.includes('\0')) throw new TypeError('A text in the ledger may not hold a NUL character');
  return text;
}
