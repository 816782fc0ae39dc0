import type { ChangeId } from '../work/ids.ts';
import { type QueueView, type Verdict } from './queue-view.ts';

/**
 * What the verdicts so far suggest about each change still in the queue.
 *
 * Beliefs only choose what to verify next. Nothing lands or is ejected because of one.
 */
export type Beliefs = {
  /** Part of a green stack, on whatever base: worth building on. */
  readonly vetted: ReadonlySet<ChangeId>;
  /** Disjoint sets, in queue order, each of which was red with nothing else to blame. */
  readonly suspects: readonly (readonly ChangeId[])[];
};

/** Reads the verdicts oldest first, so that a later answer corrects an earlier one. */
export function believe(view: QueueView): Beliefs {
  const rank = new Map(view.entries.map((entry, index) => [entry.id, index]));
  const aliases = stacksByTree(view);
  const vetted = new Set<ChangeId>();
  let suspects: (readonly ChangeId[])[] = [];
  for (const verdict of view.verdicts) {
    for (const live of groupsTold(verdict, view.landed, rank, aliases)) {
      if (verdict.colour === 'green') {
        for (const id of live) vetted.add(id);
        suspects = suspects.map((group) => group.filter((id) => !vetted.has(id)));
      } else {
        suspects = blame(live, vetted, suspects);
      }
    }
  }
  const byRank = (a: ChangeId, b: ChangeId): number => (rank.get(a) ?? 0) - (rank.get(b) ?? 0);
  const groups = suspects
    .filter((group) => group.length > 0)
    .map((group) => group.toSorted(byRank));
  return { vetted, suspects: groups };
}

/** The same tree may be reached by several stacks; its verdict speaks about all of them. */
function stacksByTree(view: QueueView): Map<string, (readonly ChangeId[])[]> {
  const known = new Map<string, (readonly ChangeId[])[]>(
    view.verdicts.map((verdict) => [verdict.tree, []]),
  );
  for (const [key, stack] of view.stacks) {
    if (key.startsWith(`${view.head.commit} `)) known.get(stack.tree)?.push(stack.members);
  }
  return known;
}

function groupsTold(
  verdict: Verdict,
  landed: ReadonlySet<ChangeId>,
  rank: ReadonlyMap<ChangeId, number>,
  aliases: ReadonlyMap<string, (readonly ChangeId[])[]>,
): (readonly ChangeId[])[] {
  const told = new Map<string, readonly ChangeId[]>();
  for (const members of [verdict.members, ...(aliases.get(verdict.tree) ?? [])]) {
    const live = members.filter((id) => rank.has(id));
    const gone = members.some((id) => !rank.has(id) && !landed.has(id));
    // A member that left without landing explains the red by itself.
    if (live.length === 0 || (gone && verdict.colour === 'red')) continue;
    told.set(live.toSorted().join(' '), live);
  }
  return [...told.values()];
}

function blame(
  live: readonly ChangeId[],
  vetted: Set<ChangeId>,
  suspects: (readonly ChangeId[])[],
): (readonly ChangeId[])[] {
  let blamed = live.filter((id) => !vetted.has(id));
  if (blamed.length === 0) {
    // Each was green without the others: only the combination is red, so all are open again.
    blamed = [...live];
    for (const id of live) vetted.delete(id);
  }
  const contained = suspects.some(
    (group) => group.length > 0 && group.every((id) => blamed.includes(id)),
  );
  if (contained && blamed.length > 0) return suspects;
  // A smaller red set inside an older one explains it; the rest of the older one is unknown again.
  return [...suspects.filter((group) => !group.some((id) => blamed.includes(id))), blamed];
}
