import { refused, type Run } from '../command.ts';
import type { mcp } from '../commands/worker.ts';

export const run: Run<typeof mcp> = async ({ client, stdin, host, version, signal }) => {
  const { serveMcp } = await import('../../mcp/serve.ts');
  const served = await serveMcp({
    client: await client(),
    input: stdin,
    output: host.stdout,
    version,
    signal,
  });
  return served.ok ? { streamed: true } : refused(served.error);
};
