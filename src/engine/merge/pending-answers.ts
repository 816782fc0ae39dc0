import { answersDueUntil } from '../../domain/merge/answers-due.ts';
import type { Place } from './queue-run.ts';

type Waiting = Pick<Place, 'world' | 'memory'>;

/** Until when gate runs are about to answer, by the monotonic clock, or null. */
export const dueIn = ({ world, memory }: Waiting): number | null =>
  answersDueUntil({
    now: world.timers.monotonic(),
    begun: [...memory.running.values()].map(({ begunAt }) => begunAt),
    took: memory.took,
  });

/** The next answer of a gate run, or the end of this wait. */
export function anAnswer({ memory }: Waiting, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const told = (): void => {
      memory.listeners.delete(told);
      over.removeEventListener('abort', told);
      resolve();
    };
    memory.listeners.add(told);
    over.addEventListener('abort', told);
  });
}

const RECENT_RUNS = 16;

/** A gate run is over. Only what was answered tells how long an answer takes. */
export function noteEnd({ world, memory }: Waiting, id: string, isAnswer: boolean): void {
  const begunAt = memory.running.get(id)?.begunAt;
  if (begunAt !== undefined && isAnswer)
    memory.took = [...memory.took, world.timers.monotonic() - begunAt].slice(-RECENT_RUNS);
  memory.running.delete(id);
  for (const tell of memory.listeners) tell();
}
