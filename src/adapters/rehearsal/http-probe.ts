import { request } from 'node:http';
import type { RequestOptions } from 'node:http';
import type { Network } from './enclosure.ts';

export type Answer = {
  readonly status: number;
  readonly ms: number;
  /** The first 256 KiB. */
  readonly body: string;
};

const MOST_BODY = 256 * 1024;

/** Asks once over a fresh connection; null when no HTTP answer came in time. */
export async function ask(
  url: string,
  timeoutMs: number,
  { connect }: Network,
): Promise<Answer | null> {
  const from = performance.now();
  return new Promise((resolve) => {
    const call = request(url, { ...way(url, connect), headers: { accept: '*/*' } }, (response) => {
      const { statusCode: status } = response;
      const parts: Buffer[] = [];
      let size = 0;
      const done = (): void => {
        call.destroy();
        const body = Buffer.concat(parts).subarray(0, MOST_BODY).toString('utf8');
        resolve(status === undefined ? null : { status, ms: performance.now() - from, body });
      };
      response.on('data', (part: Buffer) => {
        parts.push(part);
        size += part.length;
        // An endless answer (an event stream) is an answer.
        if (size >= MOST_BODY) done();
      });
      response.on('end', done);
      response.on('error', done);
      call.setTimeout(timeoutMs, done);
    });
    call.setTimeout(timeoutMs, () => call.destroy(new Error('no answer in time')));
    call.on('error', () => resolve(null));
    call.end();
  });
}

function way(url: string, connect: Network['connect']): RequestOptions {
  if (connect === null) return { agent: false };
  const { port, hostname } = new URL(url);
  // An address of IPv6 stands in brackets in a URL only.
  const host = hostname.replaceAll(/[[\]]/g, '');
  // Node heeds a connection of one's own only where no agent is named.
  return { createConnection: () => connect(Number(port), host) };
}
