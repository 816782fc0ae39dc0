import { Client } from 'pg';
import { type Changes, changesFrom } from '../changes.ts';
import { CHANNEL } from './postgres-channel.ts';

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 5000;

/**
 * Notices commits of other processes by LISTEN. The connection is made when somebody first waits
 * and kept; each time it is made anew everybody wakes, because something may have been missed.
 */
export function postgresChanges(url: string): Changes {
  let client: Client | null = null;
  let timer: NodeJS.Timeout | undefined;
  let pause = FIRST_PAUSE_MS;
  let closed = false;
  const changes = changesFrom(() => {
    if (client === null && timer === undefined && !closed) void connect();
    return () => {};
  });

  async function connect(): Promise<void> {
    timer = undefined;
    const mine = new Client({
      connectionString: url,
      keepAlive: true,
      application_name: 'convoy changes',
    });
    client = mine;
    mine.on('notification', () => changes.poke());
    mine.on('error', () => lose(mine));
    mine.on('end', () => lose(mine));
    try {
      await mine.connect();
      await mine.query(`listen ${CHANNEL}`);
      if (closed) return await mine.end();
      pause = FIRST_PAUSE_MS;
      changes.poke();
    } catch {
      lose(mine);
    }
  }

  function lose(lost: Client): void {
    if (client !== lost) return;
    client = null;
    void lost.end().catch(() => {});
    if (closed) return;
    timer = setTimeout(() => void connect(), pause);
    pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
  }

  return {
    ...changes,
    close: async () => {
      closed = true;
      clearTimeout(timer);
      await changes.close();
      const last = client;
      client = null;
      await last?.end().catch(() => {});
    },
  };
}
