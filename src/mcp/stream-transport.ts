import { ReadBuffer, serializeMessage } from '@modelcontextprotocol/sdk/shared/stdio.js';
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js';

/** The two streams a server talks over. */
export type Streams = {
  readonly input: NodeJS.ReadableStream;
  readonly output: { write(text: string): boolean };
};

/**
 * Messages as lines over two given streams. The library's own one takes the process's streams and
 * does not notice when the other end has closed them.
 */
export function streamTransport({ input, output }: Streams): Transport {
  const buffer = new ReadBuffer();
  const transport: Transport = {
    async start() {
      input.on('data', (chunk: Buffer | string) => {
        buffer.append(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
        readAll(buffer, transport);
      });
      input.on('end', () => transport.onclose?.());
      input.on('error', (error) => transport.onerror?.(error));
    },
    async send(message) {
      output.write(serializeMessage(message));
    },
    async close() {
      input.pause();
      transport.onclose?.();
    },
  };
  return transport;
}

function readAll(buffer: ReadBuffer, transport: Transport): void {
  for (;;) {
    try {
      const message = buffer.readMessage();
      if (message === null) return;
      transport.onmessage?.(message);
    } catch (error) {
      // A line that is no message is told, and the next one is read.
      transport.onerror?.(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
