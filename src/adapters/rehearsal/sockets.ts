import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { listenersIn } from '../../domain/ship/rehearsal/listening.ts';
import type { Listener } from '../../domain/ship/rehearsal/listening.ts';
import { socketsOf } from './process-table.ts';
import type { Row } from './process-table.ts';

/** The listeners that these processes hold, proved by the inode of the socket. */
export function listenersOf(rows: readonly Row[], tables: string): Listener[] {
  const all = allListeners(tables);
  if (all.length === 0) return [];
  const held = new Set(rows.flatMap(({ pid }) => socketsOf(pid)));
  return all.filter(({ inode }) => held.has(inode));
}

/** True when somebody else also accepts connections on the port. */
export function hasForeignListener(
  port: number,
  own: readonly Listener[],
  tables: string,
): boolean {
  const ours = new Set(own.map(({ inode }) => inode));
  return allListeners(tables).some(
    (listener) => listener.port === port && !ours.has(listener.inode),
  );
}

export function isListening(port: number, tables: string): boolean {
  return allListeners(tables).some((listener) => listener.port === port);
}

/** A port that nobody uses at this moment, chosen by the system. */
export async function freePort(): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const server = createServer();
  server.once('error', reject);
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    server.close(() => resolve(port));
  });
  return promise;
}

function allListeners(tables: string): Listener[] {
  return ['tcp', 'tcp6'].flatMap((name) => {
    try {
      return listenersIn(readFileSync(join(tables, name), 'latin1'));
    } catch {
      return [];
    }
  });
}
