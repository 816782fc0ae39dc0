import { setTimeout as pause } from 'node:timers/promises';
import type { EventJson } from '../../contract/routes/system.ts';
import type { Problem } from '../../contract/problem.ts';
import type { CommandContext } from '../context.ts';
import { Stop } from '../stop.ts';

const RECONNECT_MS = 500;

/**
 * Events as they happen. A lost connection is taken up again after the last one seen, with whoever
 * answers for the workspace by then.
 */
export async function* follow(
  { client, reconnect, signal }: Pick<CommandContext, 'client' | 'reconnect' | 'signal'>,
  after: number,
  filter: { subject?: string | undefined; kinds?: readonly string[] | undefined },
): AsyncGenerator<EventJson> {
  let last = after;
  let current = await client();
  while (!signal.aborted) {
    try {
      for await (const event of stream(current, last, filter, signal)) {
        last = event.seq;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (error instanceof Stop) throw error;
    }
    await pause(RECONNECT_MS, undefined, { signal }).catch(() => {});
    if (!signal.aborted) current = await reconnect();
  }
}

async function* stream(
  client: Awaited<ReturnType<CommandContext['client']>>,
  after: number,
  filter: { subject?: string | undefined; kinds?: readonly string[] | undefined },
  signal: AbortSignal,
): AsyncGenerator<EventJson> {
  const query = new URLSearchParams({ after: String(after) });
  if (filter.subject !== undefined) query.set('subject', filter.subject);
  for (const kind of filter.kinds ?? []) query.append('kind', kind);
  const response = await client.fetch(`/api/v1/events?${query.toString()}`, {
    headers: { accept: 'text/event-stream' },
    signal,
  });
  if (!response.ok) await refuse(response);
  let buffer = '';
  const decoder = new TextDecoder();
  for await (const chunk of response.body ?? []) {
    buffer += decoder.decode(chunk, { stream: true });
    for (let end = buffer.indexOf('\n\n'); end !== -1; end = buffer.indexOf('\n\n')) {
      const data = /^data: (.*)$/m.exec(buffer.slice(0, end))?.[1];
      buffer = buffer.slice(end + 2);
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the other end is the same contract
      if (data !== undefined) yield JSON.parse(data) as EventJson;
    }
  }
}

/** An end that is going away is a lost connection; any other no is final. */
async function refuse(response: Response): Promise<never> {
  const body: unknown = await response.json().catch(() => null);
  if (!isProblem(body) || body.kind === 'unavailable')
    throw new Error(`The stream was answered with ${response.status}`);
  throw new Stop(body);
}

const isProblem = (body: unknown): body is Problem =>
  typeof body === 'object' && body !== null && 'kind' in body && 'code' in body;
