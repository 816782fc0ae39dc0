import { Client } from 'pg';
import { type Changes, changesFrom } from '../changes.ts';

const CHANNEL = 'convoy_changes';
const RECONNECT_MS = 500;

export const NOTIFY = `select pg_notify('${CHANNEL}', '')`;

/**
 * Notices commits of other processes by LISTEN. The connection is made when somebody first waits
 * and kept; each time it is made anew everybody wakes, because something may have been missed.
 */
export function postgresChanges(url: string): Changes {
  let client: Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let closed = false;
  const changes = changesFrom(() => {
    if (client === null) void connect();
    return () => {};
  });

  async function connect(): Promise<void> {
    const mine = new Client({ connectionString: url });
    client = mine;
    mine.on('notification', () => changes.poke());
    mine.on('error', () => reconnect(mine));
    mine.on('end', () => reconnect(mine));
    try {
      await mine.connect();
      await mine.query(`listen ${CHANNEL}`);
      changes.poke();
    } catch {
      reconnect(mine);
    }
  }

  function reconnect(lost: Client): void {
    if (client !== lost || closed) return;
    client = null;
    timer = setTimeout(() => void connect(), RECONNECT_MS);
  }

  return {
    ...changes,
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await changes.close();
      await client?.end();
    },
  };
}
