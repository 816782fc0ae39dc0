import type { QueueStep, Stack } from '../../domain/merge/queue-view.ts';
import type { QueueMemory } from './queue-run.ts';
import type { Built } from './stack.ts';

/** The stack that a landing is about, as it was built on the head. */
export function stackThatLands(
  { stacks }: Pick<QueueMemory, 'stacks'>,
  { base, tree, members }: Extract<QueueStep, { do: 'land' }>,
): Built | undefined {
  for (const [key, built] of stacks)
    if (
      key.startsWith(`${base} `) &&
      built.tree === tree &&
      built.members.join() === members.join()
    )
      return built;
  return undefined;
}

/** What was built on another commit than the head is of no more use. */
export function forgetStacksBut(stacks: Map<string, Stack>, head: string): void {
  for (const key of stacks.keys()) if (!key.startsWith(`${head} `)) stacks.delete(key);
}
