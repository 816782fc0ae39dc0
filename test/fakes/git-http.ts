import { spawn } from 'node:child_process';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A real git server on loopback: git's own `http-backend` behind a tiny HTTP server. */
export type GitHttpServer = {
  readonly url: string;
  /** Every request from now on is answered with this status. */
  fail(status: number | null): void;
  /** Requests from now on hang until they are let go. */
  hang(): { letGo: () => void };
  close(): Promise<void>;
};

export async function serveGit(root: string, atPort = 0): Promise<GitHttpServer> {
  let failure: number | null = null;
  let free: Promise<void> = Promise.resolve();
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    await free;
    if (failure === null) runBackend(root, request, response);
    else response.writeHead(failure).end();
  };
  const server = createServer((request, response) => void answer(request, response));
  await new Promise<void>((resolve) => server.listen(atPort, '127.0.0.1', resolve));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- listening on TCP
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    fail: (status) => {
      failure = status;
    },
    hang: () => {
      const held = Promise.withResolvers<void>();
      free = held.promise;
      return { letGo: () => held.resolve() };
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export function runBackend(root: string, request: IncomingMessage, response: ServerResponse): void {
  const url = new URL(request.url ?? '/', 'http://host');
  const backend = spawn('git', ['http-backend'], {
    env: {
      PATH: process.env['PATH'],
      HOME: root,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: '1',
      REMOTE_USER: 'tester',
      REMOTE_ADDR: '127.0.0.1',
      REQUEST_METHOD: request.method,
      PATH_INFO: decodeURIComponent(url.pathname),
      QUERY_STRING: url.search.slice(1),
      CONTENT_TYPE: request.headers['content-type'],
      CONTENT_LENGTH: request.headers['content-length'],
      HTTP_CONTENT_ENCODING: request.headers['content-encoding'],
      GIT_PROTOCOL: String(request.headers['git-protocol'] ?? ''),
    },
  });
  backend.stdin.on('error', () => undefined);
  request.pipe(backend.stdin);
  const chunks: Buffer[] = [];
  backend.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  backend.on('close', () => answerWith(Buffer.concat(chunks), response));
}

/** CGI: headers, an empty line, the body. */
function answerWith(output: Buffer, response: ServerResponse): void {
  const end = output.indexOf('\r\n\r\n');
  const headers = output
    .subarray(0, end)
    .toString('latin1')
    .split('\r\n')
    .map((line) => line.split(/: (.*)/s, 2));
  const status = headers.find(([name]) => name === 'Status')?.[1] ?? '200';
  for (const [name = '', text = ''] of headers)
    if (name !== 'Status') response.setHeader(name, text);
  response.writeHead(Number.parseInt(status, 10)).end(output.subarray(end + 4));
}
