import { eventsAfter } from '../ledger/queries/events-after.ts';
import type { Services } from './context.ts';

const PAGE = 500;
const KEEP_ALIVE_MS = 15_000;

/**
 * Server-sent events from a sequence number on. A reader that lost the connection sends the last id
 * it saw (Last-Event-ID) and misses nothing.
 */
export function eventStream(
  request: Request,
  { ledger }: Services,
  stillAllowed: () => Promise<boolean>,
): Response {
  const url = new URL(request.url);
  const from = request.headers.get('last-event-id') ?? url.searchParams.get('after') ?? '0';
  const subject = url.searchParams.get('subject') ?? undefined;
  const kinds = url.searchParams
    .getAll('kind')
    .flatMap((text) => text.split(','))
    .filter(Boolean);
  const gone = new AbortController();
  request.signal.addEventListener('abort', () => gone.abort());
  let after = Math.max(0, Number.parseInt(from, 10) || 0);

  async function* follow(): AsyncGenerator<string> {
    yield ': convoy\n\n';
    while (!gone.signal.aborted) {
      // Asked before reading: a change between the two wakes us at once.
      const change = ledger.changes.next(
        AbortSignal.any([gone.signal, AbortSignal.timeout(KEEP_ALIVE_MS)]),
      );
      // A token may have been revoked since the stream began.
      if (!(await stillAllowed())) return;
      await ledger.seal();
      const events = await eventsAfter(ledger.db, after, { limit: PAGE, subject, kinds });
      for (const { at, ...event } of events) {
        after = event.seq;
        const data = JSON.stringify({ ...event, at: new Date(at).toISOString() });
        yield `id: ${event.seq}\nevent: ${event.kind}\ndata: ${data}\n\n`;
      }
      if (events.length === PAGE) continue;
      await change;
      if (events.length === 0) yield ': still here\n\n';
    }
  }

  const text = follow();
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { value, done } = await text.next();
      if (done === true) controller.close();
      else controller.enqueue(ENCODER.encode(value));
    },
    cancel() {
      gone.abort();
    },
  });
  return new Response(body, {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    },
  });
}

const ENCODER = new TextEncoder();
