import type { QueueStep, QueueView } from '../domain/merge/queue-view.ts';
import { factsOf } from '../domain/merge/facts.ts';
import { isGreen, mergeInto, type MergeWorld } from './merge-world.ts';
import type { ChangeId } from '../domain/work/ids.ts';

/**
 * The time an unbatched oracle needs.
 *
 * It is told which changes can merge (in queue order, each one that neither conflicts with nor
 * turns red on top of those kept before it), runs exactly one gate for each of them and none for
 * the others, `slots` at a time, always giving the next change to the slot that is free first, and
 * lands without any further check. Gate times are drawn as in the simulated queue. For equal gates
 * that is ceil(mergeable ÷ slots) × gate. A queue that batches may beat it.
 */
export function oracle(world: MergeWorld, slots: number): { merged: number; endsAt: number } {
  const mergeable = world.changes.reduce<ChangeId[]>((kept, change) => {
    const stack = mergeInto(world, kept, [change.id]);
    const met = change.needs.every((need) => kept.includes(need));
    const next = [...kept, ...stack.members];
    return met && stack.members.length > 0 && isGreen(world, next) ? next : kept;
  }, []);
  const freeAt: number[] = Array.from({ length: slots }, () => 0);
  mergeable.forEach((_, run) => {
    const slot = freeAt.indexOf(Math.min(...freeAt));
    freeAt[slot] = (freeAt[slot] ?? 0) + world.gate(run);
  });
  return { merged: mergeable.length, endsAt: Math.max(...freeAt) };
}

/** Plain speculation: the first `slots` changes, each verified on top of those before it. */
export function planSpeculation(view: QueueView): QueueStep[] {
  const facts = factsOf(view);
  const prefixes: { tree: string; members: readonly ChangeId[] }[] = [];
  let below: readonly ChangeId[] = [];
  for (const { id } of view.entries) {
    if (prefixes.length >= view.slots) break;
    const stack = facts.build([...below, id]);
    if (stack === undefined) return facts.questions();
    if (stack.members.length === below.length) {
      if (below.length === 0) return [{ do: 'eject', id, because: 'conflict' }];
      continue;
    }
    prefixes.push({ tree: stack.tree, members: stack.members });
    below = stack.members;
  }
  const green = prefixes.findLast(({ tree }) => facts.colourOf(tree) === 'green');
  const base = view.head.commit;
  if (green !== undefined) return [{ do: 'land', base, ...green }];
  const front = prefixes[0];
  const culprit = front?.members[0];
  if (front !== undefined && culprit !== undefined && facts.colourOf(front.tree) === 'red')
    return [{ do: 'eject', id: culprit, because: 'red' }];

  const wanted = prefixes.filter(({ tree }) => facts.colourOf(tree) === undefined);
  const stale = view.running.filter((run) => !wanted.some(({ tree }) => tree === run.tree));
  const missing = wanted.filter(({ tree }) => !view.running.some((run) => run.tree === tree));
  return [
    ...stale.map((run): QueueStep => ({ do: 'cancel', verification: run.id })),
    ...missing.map((stack): QueueStep => ({ do: 'verify', base, ...stack })),
  ];
}

/** One change at a time: plain speculation that never looks further than the front. */
export const planSerially = (view: QueueView): QueueStep[] =>
  planSpeculation({ ...view, slots: 1 });
