import { existsSync } from 'node:fs';
import { dirname } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Opens the file and makes sure that its tables are there. */
export function openDatabase(file) {
  const folder = dirname(file);
  if (file !== ':memory:' && !existsSync(folder)) throw new Error(`there is no folder ${folder}`);
  const database = new DatabaseSync(file, { timeout: 5000 });
  database.exec('pragma journal_mode = wal; pragma synchronous = normal');
  database.exec(`
    create table if not exists links (
      code text primary key,
      url text not null,
      created_at integer not null,
      hits integer not null default 0
    )`);
  return database;
}
