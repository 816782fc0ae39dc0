import type { ChangeId } from '../work/ids.ts';
import { type Facts, factsOf } from './facts.ts';
import type { QueueStep, QueueView, Stack } from './queue-view.ts';

/**
 * Everything a queue of pull requests should do now.
 *
 * A forge merges one change at a time, so each is proposed and merged for itself, and each is verified
 * alone on the target: as many at once as there are slots. Those that may be merged are also verified on
 * top of each other in their order. When the first of them is in, the tree of the next has its answer.
 */
export function planPulls(
  view: QueueView,
  /** Proposed, and nothing at the forge stands against a merge. */
  ready: ReadonlySet<ChangeId>,
  /** Could not be proposed a moment ago; others go first. */
  failed: ReadonlySet<ChangeId>,
): QueueStep[] {
  if (view.paused) return [];
  const facts = factsOf(view);
  const ids = view.entries.map(({ id }) => id).filter((id) => facts.hasNeeds([id]));
  const alone = new Map(ids.map((id) => [id, facts.look([id])]));
  if (facts.questions().length > 0) return facts.questions();
  const leaving = ids.flatMap((id) => leaves(id, alone.get(id), facts));
  if (leaving.length > 0) return leaving;
  const merging = ids.filter((id) => ready.has(id));
  const chain = merging.slice(1).map((_, at) => facts.look(merging.slice(0, at + 2)));
  if (facts.questions().length > 0) return facts.questions();
  const proposing = ids.filter((id) => !ready.has(id));
  const next = [...merging, ...inTurn(proposing, failed)].find(
    (id) => facts.colourOf(alone.get(id)?.tree ?? '') === 'green',
  );
  const wanted = [
    ...merging.slice(0, 1).flatMap((id) => alone.get(id) ?? []),
    ...proposing.flatMap((id) => alone.get(id) ?? []),
    ...chain.filter((stack) => stack?.leftOut.length === 0).flatMap((stack) => stack ?? []),
  ];
  return [
    ...runs(view, facts, wanted),
    ...(next === undefined || view.held ? [] : landing(view, next, alone.get(next))),
  ];
}

const inTurn = (ids: readonly ChangeId[], failed: ReadonlySet<ChangeId>): ChangeId[] =>
  ids.toSorted((a, b) => Number(failed.has(a)) - Number(failed.has(b)));

function leaves(id: ChangeId, alone: Stack | undefined, facts: Facts): QueueStep[] {
  if (alone?.leftOut.includes(id) === true) return [{ do: 'eject', id, because: 'conflict' }];
  const isRed = alone !== undefined && facts.colourOf(alone.tree) === 'red';
  return isRed ? [{ do: 'eject', id, because: 'red' }] : [];
}

function landing(view: QueueView, id: ChangeId, stack: Stack | undefined): QueueStep[] {
  const base = view.head.commit;
  return stack === undefined ? [] : [{ do: 'land', base, tree: stack.tree, members: [id] }];
}

/** What nobody needs any more ends, and the free slots take what is wanted, first things first. */
function runs(view: QueueView, facts: Facts, wanted: readonly Stack[]): QueueStep[] {
  const trees = new Set(wanted.map(({ tree }) => tree));
  const [useful, useless] = [
    view.running.filter(({ tree }) => trees.has(tree)),
    view.running.filter(({ tree }) => !trees.has(tree)),
  ];
  const open = new Map(
    wanted
      .filter(({ tree }) => facts.colourOf(tree) === undefined)
      .filter(({ tree }) => !useful.some((run) => run.tree === tree))
      .map((stack) => [stack.tree, stack]),
  );
  const free = Math.max(0, view.slots - useful.length);
  return [
    ...useless.map(({ id }): QueueStep => ({ do: 'cancel', verification: id })),
    ...[...open.values()].slice(0, free).map(({ tree, members }): QueueStep => ({
      do: 'verify',
      base: view.head.commit,
      tree,
      members,
    })),
  ];
}
