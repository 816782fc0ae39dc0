import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import type { Client } from '../client/client.ts';
import { clientOver, type Fetch } from '../client/http-client.ts';
import type { Problem } from '../contract/problem.ts';
import type { DaemonFile } from './daemon-file.ts';
import { operatorToken } from './token.ts';

/** A client of the daemon of a workspace on this machine, as its operator. */
export const clientOfDaemon = (daemon: DaemonFile, dir: string): Client =>
  clientOver(daemon.url, operatorToken(dir), overHttp(daemon));

/** A client of whatever answers there, as the holder of a token. */
export const clientByToken = (url: string, token: string): Client =>
  clientOver(url, token, overHttp(null));

/** Node's own HTTP client: it starts faster than fetch, which matters for a command line. */
function overHttp(daemon: DaemonFile | null): Fetch {
  return async (request) => {
    const body = request.body === null ? null : Buffer.from(await request.arrayBuffer());
    const headers = Object.fromEntries(request.headers);
    if (daemon !== null) headers['x-convoy-instance'] = daemon.instance;
    if (body !== null) headers['content-length'] = String(body.length);
    const send = request.url.startsWith('https:') ? httpsRequest : httpRequest;
    return new Promise((resolve, reject) => {
      const outgoing = send(
        request.url,
        { method: request.method, headers, agent: false, signal: request.signal },
        (incoming) =>
          resolve(
            // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the web's stream and Node's are the same object
            new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>, {
              status: incoming.statusCode ?? 500,
              headers: { 'content-type': incoming.headers['content-type'] ?? '' },
            }),
          ),
      );
      outgoing.on('error', (error) =>
        isGone(error) ? resolve(noDaemon(request.url)) : reject(error),
      );
      outgoing.end(body);
    });
  };
}

const isGone = (error: Error): boolean =>
  'code' in error && (error.code === 'ECONNREFUSED' || error.code === 'ECONNRESET');

const noDaemon = (url: string): Response =>
  Response.json(
    {
      kind: 'unavailable',
      code: 'daemon_not_answering',
      message: `The daemon at ${new URL(url).origin} does not answer.`,
      remedy: 'Try again in a moment; convoy down and convoy up start it afresh.',
    } satisfies Problem,
    { status: 503 },
  );
