import type { ChangeId } from '../work/ids.ts';
import type { Beliefs } from './beliefs.ts';
import type { Facts } from './facts.ts';
import { groupSize, hopefulSize, prefixes, splitSize, spread } from './groups.ts';
import type { QueueEntry, QueueStep, QueueView } from './queue-view.ts';

type Group = readonly ChangeId[];

/** After this many landings past it, a change is tried by itself before anything else. */
export const MOST_OVERTAKEN = 8;
export const isOverdue = (entry: QueueEntry): boolean => entry.overtaken >= MOST_OVERTAKEN;

/**
 * Gate runs for the free slots.
 *
 * Every run is the trunk (all vetted changes) with one small disjoint group on top: a green answer
 * lands trunk and group together, a red one narrows the search, and the trunk rarely needs a run
 * of its own.
 */
export function fillSlots(view: QueueView, facts: Facts, beliefs: Beliefs): QueueStep[] {
  const free = view.slots - view.running.length;
  if (free <= 0) return [];
  // What is hoped for waits for no answer: it counts on all of them.
  if (view.answersDue && hopedFor(view, facts, beliefs) === null) return [];
  const trunk = facts.build(trunkOf(view, facts, beliefs))?.members;
  if (trunk === undefined) return [];

  const room = roomFor(view, facts, beliefs, free);
  const chosen = choose(view, facts, candidates(view, facts, beliefs, trunk, room), room);
  if (chosen.length > 0 || facts.questions().length > 0 || view.running.length > 0) return chosen;
  // Answers may contradict each other. One change alone on the head is always decided.
  const alone = view.entries.map((entry) => [entry.id]);
  return choose(view, facts, alone.filter(facts.hasNeeds), free);
}

/**
 * Where everything is verified at once, smaller groups are only for the case that it is red. One slot stays free
 * then: what comes in meanwhile is verified on top of it all at once, and not after it.
 */
function roomFor(view: QueueView, facts: Facts, beliefs: Beliefs, free: number): number {
  const isFirst = beliefs.suspects.length === 0 && allAtOnce(view, facts, beliefs) !== null;
  return isFirst && free >= LEAST_TO_SPARE ? free - 1 : free;
}

const LEAST_TO_SPARE = 3;

/** The first of these that are neither known nor running. */
function choose(
  view: QueueView,
  facts: Facts,
  stacks: readonly Group[],
  free: number,
): QueueStep[] {
  const runs = new Map<string, QueueStep>();
  for (const members of stacks) {
    if (runs.size + facts.questions().length >= free) break;
    const stack = facts.build(members);
    if (stack === undefined || stack.members.length === 0) continue;
    const { tree } = stack;
    if (facts.colourOf(tree) !== undefined) continue;
    if (view.running.some((run) => run.tree === tree)) continue;
    runs.set(tree, { do: 'verify', base: view.head.commit, tree, members: stack.members });
  }
  return [...runs.values()];
}

function trunkOf(view: QueueView, facts: Facts, beliefs: Beliefs): ChangeId[] {
  return facts.withNeeds(
    view.entries.map((entry) => entry.id).filter((id) => beliefs.vetted.has(id)),
  );
}

/** Stacks worth verifying, best first. More than fit, because some turn out known or running. */
function candidates(
  view: QueueView,
  facts: Facts,
  beliefs: Beliefs,
  trunk: Group,
  free: number,
): Group[] {
  const busy = new Set(
    view.running.flatMap((run) => run.members.filter((id) => !beliefs.vetted.has(id))),
  );
  const overdue = view.entries.filter(isOverdue).map((entry) => [entry.id]);
  const lone = beliefs.suspects.map(({ members }) => members).filter(({ length }) => length === 1);
  const combined = beliefs.suspects
    .filter((group) => group.combined && group.members.length > 1)
    .flatMap(({ members }) => prefixes(members, free));
  const whole = hopedFor(view, facts, beliefs);
  const first = whole === null && free > 1 ? allAtOnce(view, facts, beliefs) : null;
  const besides = first === null ? free : free - 1;
  const units = whole === null ? unitsFor(view, facts, beliefs, trunk, busy, besides) : [whole];
  const onTrunk = (group: Group): Group => [...trunk, ...group];
  const alone = lone.filter((group) => !group.some((id) => busy.has(id))).map(onTrunk);
  return [
    ...overdue,
    ...(isTrunkInDoubt(view, beliefs) ? [trunk] : []),
    ...combined.map(onTrunk),
    ...(first === null ? [] : [first]),
    // It may be the last round: what is left over then has to be proved red.
    ...(first === null || alone.length === 0 ? [] : [trunk, ...alone]),
    ...(whole === null ? units.map(onTrunk) : units),
    trunk,
    // Almost surely red: on top of the trunk, so that the answer is proof once exactly that landed.
    ...alone,
  ].filter((members) => members.length > 0 && facts.hasNeeds(members));
}

/**
 * While something is verified and more comes in: everything, in the order of the queue, where it is few
 * enough to be more likely green than red. What is being verified is taken to pass, and then all of this
 * lands on top of it without another run.
 */
function hopedFor(view: QueueView, facts: Facts, beliefs: Beliefs): Group | null {
  if (view.running.length === 0 || beliefs.suspects.length > 0) return null;
  const all = facts.withNeeds(view.entries.map((entry) => entry.id));
  const untested = all.filter((id) => !beliefs.vetted.has(id));
  return untested.length > 1 && untested.length <= hopefulSize(view.redShare) ? all : null;
}

/**
 * While nothing is verified: everything but single suspects, where that may well be green. Then all of it lands
 * after one run, where groups side by side would need a second one on top of each other.
 */
function allAtOnce(view: QueueView, facts: Facts, beliefs: Beliefs): Group | null {
  if (view.running.length > 0 || beliefs.suspects.some(({ members }) => members.length > 1))
    return null;
  const blamed = new Set(beliefs.suspects.flatMap(({ members }) => members));
  const all = facts.withNeeds(
    view.entries.map((entry) => entry.id).filter((id) => !blamed.has(id)),
  );
  const untested = all.filter((id) => !beliefs.vetted.has(id));
  const least = blamed.size > 0 ? 1 : 2;
  const isHopeful = untested.length <= hopefulSize(view.redShare);
  return untested.length >= least && isHopeful ? all : null;
}

/** Something on top of vetted changes was red on this head: it may be they that do not go together. */
function isTrunkInDoubt(view: QueueView, beliefs: Beliefs): boolean {
  return view.verdicts.some(
    (verdict) =>
      verdict.colour === 'red' &&
      verdict.base === view.head.commit &&
      verdict.members.some((id) => beliefs.vetted.has(id)),
  );
}

/**
 * Disjoint groups to try: the first part of each red group, and groups of untested changes.
 *
 * With slots to spare, also the other part of each red group, and everything in smaller pieces.
 */
function unitsFor(
  view: QueueView,
  facts: Facts,
  beliefs: Beliefs,
  trunk: Group,
  busy: ReadonlySet<ChangeId>,
  free: number,
): Group[] {
  const rank = new Map(view.entries.map((entry, index) => [entry.id, index]));
  const ready = (group: Group): Group =>
    facts.withNeeds(
      group.filter((id) => !busy.has(id)),
      trunk,
    );
  const groups = beliefs.suspects
    .filter((group) => !group.combined && group.members.length > 1)
    .map(({ members }) => members);
  const cuts = groups
    .filter((group) => !group.some((id) => busy.has(id)))
    .map((group) => ready(group.slice(0, splitSize(group.length, view.redShare))))
    .filter((group) => group.length > 0);

  const known = new Set([...beliefs.suspects.flatMap(({ members }) => members), ...beliefs.vetted]);
  const fresh = ready(view.entries.map((entry) => entry.id).filter((id) => !known.has(id)));
  const size = Math.min(
    groupSize(view.redShare),
    Math.max(1, Math.ceil(fresh.length / Math.max(1, free - cuts.length))),
  );
  const chunks = chunksOf(fresh, size).map((chunk) => facts.withNeeds(chunk, trunk));

  const units = [...cuts, ...chunks]
    .filter((unit) => unit.length > 0)
    .toSorted((a, b) => rankOf(a, rank) - rankOf(b, rank));
  if (units.length >= free) return units;

  const taken = new Set(units.flat());
  const siblings = groups
    .map((group) => ready(group.filter((id) => !taken.has(id))))
    .filter((group) => group.length > 0);
  return spread([...units, ...siblings], free);
}

const chunksOf = (ids: Group, size: number): Group[] =>
  Array.from({ length: Math.ceil(ids.length / size) }, (_, index) =>
    ids.slice(index * size, (index + 1) * size),
  );

const rankOf = (group: Group, rank: ReadonlyMap<ChangeId, number>): number =>
  Math.min(...group.map((id) => rank.get(id) ?? Infinity));
