import { setTimeout as pause } from 'node:timers/promises';
import { listEvents } from '../../contract/routes/system.ts';
import type { CommandContext } from '../context.ts';
import { cleanLine } from '../render/clean.ts';
import { storyLine } from './history.ts';

const LOOK_MS = 250;

/** Says what went wrong and what Convoy does about it, beside the plain progress, while `act` lasts. */
export async function narrating<T>(
  { call, err }: Pick<CommandContext, 'call' | 'err'>,
  act: () => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const narrator = (async () => {
    for (let after = 0; !over.signal.aborted; await pause(LOOK_MS)) {
      const { events } = await call(listEvents, { query: { after, limit: 1000 } });
      for (const line of events.map(storyLine)) if (line !== null) err(`   → ${cleanLine(line)}`);
      after = events.at(-1)?.seq ?? after;
    }
  })();
  try {
    return await act();
  } finally {
    over.abort();
    await narrator.catch(() => {});
  }
}
