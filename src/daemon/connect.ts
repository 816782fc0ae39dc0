import { request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { type Client } from '../client/client.ts';
import { clientOver, type Fetch } from '../client/http-client.ts';
import { environment } from '../config/environment.ts';
import { findWorkspace } from '../config/workspace.ts';
import type { Problem } from '../contract/problem.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { SettingsProblem } from '../ports/settings.ts';
import { type DaemonFile, livingDaemon } from './daemon-file.ts';
import { operatorToken } from './token.ts';
import type { Variables } from './services.ts';

export type ConnectPlace = { readonly dir: string; readonly env: Variables };

/**
 * A client for a workspace: over HTTP when its daemon runs, otherwise the same handlers in this
 * process. Whoever carries a token of its own speaks HTTP only and never opens the ledger.
 */
export async function connect(
  place: ConnectPlace,
  version: string,
): Promise<Result<Client, Problem>> {
  const env = environment(place.env);
  if (!env.ok) return err(problemOf(env.error));
  const { token, url } = env.value;
  if (token !== null) {
    if (url === null)
      return err({
        kind: 'invalid',
        code: 'no_url',
        message: 'CONVOY_TOKEN is set, but not the CONVOY_URL it is good for.',
        remedy: 'Set CONVOY_URL too, or unset CONVOY_TOKEN.',
      });
    return ok(clientOver(url, token, overHttp(null)));
  }
  const workspace = findWorkspace(place.dir);
  if (!workspace.ok) return err(problemOf(workspace.error, 'not_found'));
  const daemon = livingDaemon(workspace.value.dir);
  if (daemon !== null)
    return ok(clientOver(daemon.url, operatorToken(workspace.value.dir), overHttp(daemon)));
  const { openInProcess } = await import('./in-process.ts');
  return openInProcess(workspace.value, place.env, env.value, version);
}

export const problemOf = (
  problem: SettingsProblem,
  kind: Problem['kind'] = 'invalid',
): Problem => ({
  kind,
  code: problem.code,
  message: problem.message,
  ...(problem.remedy === undefined ? {} : { remedy: problem.remedy }),
});

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
