import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

export type Received = { readonly headers: IncomingHttpHeaders; readonly body: string };

export type WebhookServer = {
  readonly url: string;
  readonly received: Received[];
  /** How the next requests are answered, one each; afterwards 200. `never` leaves them open. */
  answer(...how: (number | 'never' | 'hang up')[]): void;
};

/** A real server on loopback that keeps what it is sent. */
export async function webhookServer(): Promise<WebhookServer> {
  const received: Received[] = [];
  const plan: (number | 'never' | 'hang up')[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk) => (body += String(chunk)));
    request.on('end', () => {
      received.push({ headers: request.headers, body });
      const how = plan.shift() ?? 200;
      if (how === 'never') return;
      if (how === 'hang up') {
        request.socket.destroy();
      } else {
        response.writeHead(how, how >= 300 && how < 400 ? { location: '/elsewhere' } : {});
        response.end('thank you');
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server on a port has such an address
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/hook`,
    received,
    answer: (...how) => void plan.push(...how),
  };
}
