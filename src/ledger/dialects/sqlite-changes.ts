import { DatabaseSync } from 'node:sqlite';
import { type Changes, changesFrom } from '../changes.ts';

/** Watching the WAL file fires before the commit can be read; asking costs two microseconds. */
const POLL_MS = 50;

/** Notices commits of other processes by SQLite's own change counter. */
export function sqliteChanges(file: string): Changes {
  return changesFrom((wake) => {
    const db = new DatabaseSync(file, { readOnly: true });
    const ask = db.prepare('pragma data_version');
    const version = (): unknown => ask.get()?.['data_version'];
    let seen = version();
    const timer = setInterval(() => {
      const now = version();
      if (now === seen) return;
      seen = now;
      wake();
    }, POLL_MS);
    return () => {
      clearInterval(timer);
      db.close();
    };
  });
}
