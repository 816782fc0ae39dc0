import type { ChangeId } from '../work/ids.ts';
import { believe, type Beliefs } from './beliefs.ts';
import { type Facts, factsOf } from './facts.ts';
import { fillSlots, isOverdue } from './fill-slots.ts';
import { largestLanding, nextLanding } from './next-landing.ts';
import type { QueueStep, QueueView } from './queue-view.ts';

/**
 * Everything the queue should do now.
 *
 * The loop performs the steps, records what came of them and asks again. While a merge result is
 * unknown the only steps are questions, because an answer may let something land at once.
 * A stack lands when its exact tree on the exact head is green. A change is ejected when it fails
 * alone on the exact head. Everything else is a choice of what to verify next.
 */
export function planQueue(view: QueueView): QueueStep[] {
  if (view.paused) return [];
  const facts = factsOf(view);
  const beliefs = believe(view);
  const pointless = view.running.filter((run) => isPointless(run, view, facts, beliefs));
  const settled = settle(view, facts, beliefs);
  if (facts.questions().length > 0) return facts.questions();

  const cancels = pointless.map((run): QueueStep => ({ do: 'cancel', verification: run.id }));
  if (settled.length > 0) return [...cancels, ...settled];

  const running = view.running.filter((run) => !pointless.includes(run));
  const verifications = fillSlots({ ...view, running }, facts, beliefs);
  return facts.questions().length > 0 ? facts.questions() : [...cancels, ...verifications];
}

/** A run whose answer could neither land anything nor tell something new. */
function isPointless(
  run: QueueView['running'][number],
  view: QueueView,
  facts: Facts,
  beliefs: Beliefs,
): boolean {
  const live = run.members.filter((id) => view.entries.some((entry) => entry.id === id));
  if (live.length === 0) return true;
  if (run.members.some((id) => !live.includes(id) && !view.landed.has(id))) return true;
  if (live.some((id) => !beliefs.vetted.has(id))) return false;
  const onHead = facts.look(live);
  return onHead !== undefined && onHead.tree !== run.tree;
}

/** What can be decided from answers already given: a landing, and changes that have to leave. */
function settle(view: QueueView, facts: Facts, beliefs: Beliefs): QueueStep[] {
  ask(view, facts, beliefs);
  const still = view.held || waitsForOverdue(view, facts);
  const most = largestLanding(view, facts);
  const landing = still || most === undefined ? undefined : nextLanding(most, view, facts, beliefs);
  // What is red alone and green with others stays with them, also while they wait.
  const leaving = view.entries
    .filter(({ id }) => most?.members.includes(id) !== true)
    .flatMap(({ id }): QueueStep[] => {
      const because = whyLeave(id, facts);
      return because === null ? [] : [{ do: 'eject', id, because }];
    });
  if (landing === undefined) return leaving;
  const { tree, members } = landing;
  return [...leaving, { do: 'land', base: view.head.commit, tree, members }];
}

/** Questions whose answers may settle something: green stacks, lone suspects, left-out changes. */
function ask(view: QueueView, facts: Facts, beliefs: Beliefs): void {
  const live = new Set(view.entries.map((entry) => entry.id));
  for (const verdict of view.verdicts) {
    const left = verdict.members.filter((id) => live.has(id));
    const whole = verdict.members.every((id) => live.has(id) || view.landed.has(id));
    if (verdict.colour === 'green' && whole && left.length > 0 && facts.hasNeeds(left))
      facts.look(left);
  }
  const alone = [
    ...beliefs.suspects.flatMap(({ members }) => (members.length === 1 ? members : [])),
    ...facts.onHead.flatMap((stack) => stack.leftOut),
  ];
  for (const id of alone) if (live.has(id) && facts.hasNeeds([id])) facts.look([id]);
}

function whyLeave(id: ChangeId, facts: Facts): 'red' | 'conflict' | null {
  if (!facts.hasNeeds([id])) return null;
  const alone = facts.peek([id]);
  if (alone === undefined) return null;
  if (alone.leftOut.includes(id)) return 'conflict';
  return facts.colourOf(alone.tree) === 'red' ? 'red' : null;
}

/** The head stands still while an overtaken change is tried on it, so that its answer counts. */
function waitsForOverdue(view: QueueView, facts: Facts): boolean {
  return view.entries.filter(isOverdue).some(({ id }) => {
    const alone = facts.peek([id]);
    return alone !== undefined && view.running.some((run) => run.tree === alone.tree);
  });
}
