import { setTimeout as pause } from 'node:timers/promises';
import type { EventJson } from '../../contract/routes/system.ts';
import type { CommandContext } from '../context.ts';

const RECONNECT_MS = 500;

/** Events as they happen; a lost connection is taken up again after the last one seen. */
export async function* follow(
  { client, signal }: Pick<CommandContext, 'client' | 'signal'>,
  after: number,
  filter: { subject?: string | undefined; kinds?: readonly string[] | undefined },
): AsyncGenerator<EventJson> {
  let last = after;
  while (!signal.aborted) {
    try {
      for await (const event of stream(await client(), last, filter, signal)) {
        last = event.seq;
        yield event;
      }
    } catch (error) {
      if (signal.aborted) return;
      if (!(error instanceof TypeError)) throw error;
    }
    await pause(RECONNECT_MS, undefined, { signal }).catch(() => {});
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
