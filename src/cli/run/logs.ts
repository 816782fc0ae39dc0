import { readLogs } from '../../contract/routes/system.ts';
import type { Run } from '../command.ts';
import type { logs } from '../commands/system.ts';
import { clean } from '../render/clean.ts';

const LOOK_MS = 200;

/** Prints what an attempt said; control characters of an agent never reach the terminal. */
export const run: Run<typeof logs> = async ({ args, options, call, out, err, json, signal }) => {
  let after = 0;
  while (!signal.aborted) {
    const query = { after };
    const part = await call(readLogs, { params: { id: args.id }, query });
    if (part.skipped > 0) err(`(${part.skipped} bytes were not kept)`);
    if (json && part.text !== '') out(JSON.stringify({ ...part }));
    else if (part.text !== '') out(clean(part.text).replace(/\n$/, ''));
    after = part.next;
    if (part.text !== '') continue;
    if (!options.follow || part.ended) break;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  return { streamed: true };
};
