import type { ChangeId } from '../work/ids.ts';
import type { Beliefs } from './beliefs.ts';
import type { Facts } from './facts.ts';
import { isOverdue } from './fill-slots.ts';
import type { QueueView, Stack, Verification } from './queue-view.ts';

/** What may land: overdue changes first, then as many as possible. */
export function largestLanding(view: QueueView, facts: Facts): Stack | undefined {
  const overdue = view.entries.filter(isOverdue).map((entry) => entry.id);
  const urgency = (stack: Stack): number =>
    overdue.findIndex((id) => stack.members.includes(id)) >>> 0;
  return greenOn(facts).toSorted(
    (a, b) => urgency(a) - urgency(b) || b.members.length - a.members.length,
  )[0];
}

/**
 * What lands next of the most that may: all of it, but first that on which single suspects were tried. Once exactly
 * that has landed, their red answers are proof, and the rest lands on top of it without another run.
 */
export function nextLanding(
  most: Stack,
  view: QueueView,
  facts: Facts,
  beliefs: Beliefs,
): Stack | undefined {
  for (const ground of groundsOfProof(view, facts, beliefs)) {
    if (ground.size >= most.members.length || !isWithin(ground, most.members)) continue;
    const stack = greenOn(facts).find(({ members }) => isSame(ground, members));
    if (stack !== undefined) return stack;
    const isTried = view.running.some(({ members }) => isSame(ground, members));
    if (view.answersDue && (ground.size === 0 || isTried)) return undefined;
  }
  return most;
}

const greenOn = (facts: Facts): Stack[] =>
  facts.onHead.filter(
    ({ tree, members }) =>
      members.length > 0 && facts.colourOf(tree) === 'green' && facts.hasNeeds(members),
  );

/** On top of which changes single suspects are tried, fewest first; on top of none of them: on the head itself. */
function groundsOfProof(view: QueueView, facts: Facts, beliefs: Beliefs): ReadonlySet<ChangeId>[] {
  const lone = new Set(
    beliefs.suspects.flatMap(({ members }) => (members.length === 1 ? members : [])),
  );
  const onHead = [...lone].map((id) => facts.peek([id])?.tree);
  if (view.running.some(({ tree }) => onHead.includes(tree))) return [new Set()];
  const ground = ({ base, members }: Pick<Verification, 'base' | 'members'>): ChangeId[][] => {
    const below = members.filter((id) => !lone.has(id));
    const isOneOnTop = members.length - below.length === 1 && base === view.head.commit;
    return isOneOnTop ? [below] : [];
  };
  const failed = view.verdicts.filter(({ colour }) => colour === 'red').flatMap(ground);
  return [...failed.filter(({ length }) => length > 0), ...view.running.flatMap(ground)]
    .map((members) => new Set(members))
    .toSorted((one, other) => one.size - other.size);
}

const isWithin = (some: ReadonlySet<ChangeId>, all: readonly ChangeId[]): boolean =>
  [...some].every((id) => all.includes(id));

const isSame = (one: ReadonlySet<ChangeId>, other: readonly ChangeId[]): boolean =>
  one.size === other.length && isWithin(one, other);
