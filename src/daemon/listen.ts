import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { serve, type ServerType } from '@hono/node-server';
import type { Problem } from '../contract/problem.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Exposure } from './exposure.ts';

export const LOOPBACK = '127.0.0.1';

export type Answer = (request: Request, env: object) => Response | Promise<Response>;

export type Listening = {
  /** Where programs on this machine ask. */
  readonly url: string;
  /** Where others ask, when there is such an address. */
  readonly outside: string | null;
  readonly close: () => Promise<void>;
};

/**
 * Serves on loopback, and beside it on an outside address when one is wished for; then that one has
 * the wished port. A taken port is replaced by a free one unless somebody insisted.
 */
export async function listen(
  answer: Answer,
  wish: { port: number; insists: boolean; exposure: Exposure | null },
): Promise<Result<Listening, Problem>> {
  const { port, insists, exposure } = wish;
  const servers: ServerType[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(servers.map(closed));
  };
  try {
    if (exposure !== null) servers.push(await open(answer, exposure, port));
    const inside = { host: LOOPBACK, tls: null };
    servers.push(
      await (exposure === null
        ? open(answer, inside, port).catch((error: unknown) => {
            if (insists || !isTaken(error)) throw error;
            return open(answer, inside, 0);
          })
        : open(answer, inside, 0)),
    );
  } catch (error) {
    await close();
    return err(cannotListen(error, exposure?.host ?? LOOPBACK, port));
  }
  const [first, second = first] = servers;
  return ok({
    url: `http://${LOOPBACK}:${portOf(second)}`,
    outside: exposure === null ? null : addressOf(exposure, portOf(first)),
    close,
  });
}

function open(answer: Answer, { host, tls }: Exposure, port: number): Promise<ServerType> {
  return new Promise((resolve, reject) => {
    const server = serve(
      {
        fetch: answer,
        hostname: host.replaceAll(/[[\]]/g, ''),
        port,
        ...(tls === null ? {} : { createServer: createTlsServer, serverOptions: tls }),
      },
      () => resolve(server),
    );
    server.once('error', reject);
  });
}

const isTaken = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';

function cannotListen(error: unknown, host: string, port: number): Problem {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  const cause = error instanceof Error ? error.message : String(error);
  if (code === 'EADDRINUSE') return portProblem('port_taken', port, 'is taken');
  if (code === 'EACCES') return portProblem('port_forbidden', port, 'is not yours to use');
  return {
    kind: 'invalid',
    code: 'cannot_listen',
    message: `Nothing can be served at ${host}:${port}.`,
    cause,
    remedy: 'Check --host, --port and the certificate.',
  };
}

const portProblem = (code: string, port: number, why: string): Problem => ({
  kind: 'conflict',
  code,
  message: `Port ${port} ${why}.`,
  remedy: 'Choose another --port, or leave it out and a free one is taken.',
});

function addressOf({ host, tls }: Exposure, port: number): string {
  const name = host.includes(':') && !host.startsWith('[') ? `[${host}]` : host;
  return `${tls === null ? 'http' : 'https'}://${name}:${port}`;
}

function portOf(server: ServerType | undefined): number {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has such an address
  const address = server?.address() as AddressInfo | undefined;
  return address?.port ?? 0;
}

function closed(server: ServerType): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    if ('closeAllConnections' in server) server.closeAllConnections();
  });
}
