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
  /** Disjoint groups, each of which was red with nothing else to blame. */
  readonly suspects: readonly Suspects[];
};

export type Suspects = {
  /** In queue order. */
  readonly members: readonly ChangeId[];
  /** Each was green without the others: what is red is their combination. */
  readonly combined: boolean;
};

/** Reads the verdicts oldest first, so that a later answer corrects an earlier one. */
export function believe(view: QueueView): Beliefs {
  const rank = new Map(view.entries.map((entry, index) => [entry.id, index]));
  const aliases = stacksByTree(view);
  const vetted = new Set<ChangeId>();
  let suspects: readonly Suspects[] = [];
  for (const verdict of view.verdicts) {
    for (const live of groupsTold(verdict, view.failed, rank, aliases)) {
      if (verdict.colour === 'green') {
        for (const id of live) vetted.add(id);
        suspects = suspects.map((group) => without(group, vetted));
      } else {
        suspects = blame(live, vetted, suspects);
      }
    }
  }
  const byRank = (a: ChangeId, b: ChangeId): number => (rank.get(a) ?? 0) - (rank.get(b) ?? 0);
  const groups = suspects
    .filter(({ members }) => members.length > 0)
    .map(({ members, combined }) => ({ members: members.toSorted(byRank), combined }));
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
  failed: ReadonlySet<ChangeId>,
  rank: ReadonlyMap<ChangeId, number>,
  aliases: ReadonlyMap<string, (readonly ChangeId[])[]>,
): (readonly ChangeId[])[] {
  const told = new Map<string, readonly ChangeId[]>();
  for (const members of [verdict.members, ...(aliases.get(verdict.tree) ?? [])]) {
    const live = members.filter((id) => rank.has(id));
    // A member that left because it failed alone explains the red by itself.
    const explained = verdict.colour === 'red' && members.some((id) => failed.has(id));
    if (live.length === 0 || explained) continue;
    told.set(live.toSorted().join(' '), live);
  }
  return [...told.values()];
}

function blame(
  live: readonly ChangeId[],
  vetted: Set<ChangeId>,
  suspects: readonly Suspects[],
): readonly Suspects[] {
  const unvetted = live.filter((id) => !vetted.has(id));
  const members = new Set(unvetted.length > 0 ? unvetted : live);
  const known = suspects.some((group) => group.members.length > 0 && isWithin(group, members));
  if (known) return suspects;
  for (const id of members) vetted.delete(id);
  const [overlapping, apart] = partition(suspects, (group) =>
    group.members.some((id) => members.has(id)),
  );
  // A smaller red set explains an older one around it: what is left of that is unknown again, or
  // as good as before when it was only red in combination.
  for (const group of overlapping.filter((one) => one.combined))
    for (const id of group.members) if (!members.has(id)) vetted.add(id);
  const combined = unvetted.length === 0 || overlapping.some((group) => group.combined);
  return [...apart, { members: [...members], combined }];
}

const without = (group: Suspects, ids: ReadonlySet<ChangeId>): Suspects => ({
  members: group.members.filter((id) => !ids.has(id)),
  combined: group.combined,
});

const isWithin = (group: Suspects, ids: ReadonlySet<ChangeId>): boolean =>
  group.members.every((id) => ids.has(id));

function partition<T>(all: readonly T[], belongs: (one: T) => boolean): [T[], T[]] {
  return [all.filter(belongs), all.filter((one) => !belongs(one))];
}
