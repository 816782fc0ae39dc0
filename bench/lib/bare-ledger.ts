import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { repoName, taskId } from '../../src/domain/work/ids.ts';
import { newTask } from '../../src/domain/work/new-task.ts';
import { GENESIS } from '../../src/ledger/seal.ts';

/** The statements of one command, written by hand: what the ledger is measured against. */
export type Bare = {
  /** One writer's way to run the command once, in a transaction of its own. */
  writer(): Promise<(id: string) => Promise<void>>;
  close(): Promise<void>;
};

const EVENT = 'subject, version, kind, data, actor, at';
const TASK =
  'id, version, status, type, repo, title, priority, parent, assignee, estimate_minutes, created_at, updated_at, state';

export function bareSqlite(file: string): Bare {
  const db = new DatabaseSync(file, { timeout: 5000 });
  db.exec('pragma journal_mode = wal; pragma synchronous = full; pragma temp_store = memory');
  const begin = db.prepare('begin immediate');
  const commit = db.prepare('commit');
  const find = db.prepare('select state, version from task where id = ?');
  const head = db.prepare(
    'select seq, hash from event where seq is not null order by seq desc limit 1',
  );
  const append = db.prepare(`insert into event (seq, hash, ${EVENT}) values (${marks(8)})`);
  const insert = db.prepare(`insert into task (${TASK}) values (${marks(13)})`);
  return {
    writer: async () => async (id) => {
      const { event, row } = valuesOf(id);
      begin.run();
      find.get(id);
      const seq = Number(head.get()?.['seq'] ?? 0) + 1;
      append.run(seq, GENESIS, ...event);
      insert.run(...row);
      commit.run();
      // Lets the other writers have their turn.
      await Promise.resolve();
    },
    close: async () => db.close(),
  };
}

export function barePostgres(url: string): Bare {
  const clients: Client[] = [];
  return {
    async writer() {
      const client = new Client({ connectionString: url });
      clients.push(client);
      await client.connect();
      const run = (name: string, text: string, values: unknown[]): Promise<unknown> =>
        client.query({ name, text, values });
      return async (id) => {
        const { event, row } = valuesOf(id);
        await client.query('begin');
        await run('find', 'select state, version from task where id = $1', [id]);
        await run('append', `insert into event (${EVENT}) values (${numbered(6)})`, event);
        await run('insert', `insert into task (${TASK}) values (${numbered(13)})`, row);
        await client.query('commit');
      };
    },
    close: async () => {
      for (const client of clients) await client.end();
    },
  };
}

type Value = string | number | null;

function valuesOf(id: string): { event: Value[]; row: Value[] } {
  const at = Date.now();
  const task = newTask(taskId(id), draftOf(id), 'bench', at);
  const state = JSON.stringify(task);
  const { status, type, repo, title, priority } = task;
  return {
    event: [`task/${id}`, 1, 'task-created', JSON.stringify({ task }), 'bench', at],
    row: [id, 1, status, type, repo, title, priority, null, null, null, at, at, state],
  };
}

export const draftOf = (id: string): Parameters<typeof newTask>[1] => ({
  title: `Task ${id}`,
  repo: repoName('main'),
});

const marks = (count: number): string => Array.from({ length: count }, () => '?').join(', ');

const numbered = (count: number): string =>
  Array.from({ length: count }, (_, place) => `$${place + 1}`).join(', ');
