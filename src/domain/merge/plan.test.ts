import { describe, expect, test } from 'vitest';
import { type ChangeId, changeId } from '../work/ids.ts';
import { MOST_OVERTAKEN } from './fill-slots.ts';
import { planQueue } from './plan.ts';
import { type QueueView, type Stack, stackKey, type Verdict } from './queue-view.ts';

const [a, b, c, d] = ['a', 'b', 'c', 'd'].map(changeId) as [ChangeId, ChangeId, ChangeId, ChangeId];
const HEAD = 'head';

describe('questions', () => {
  test('a tree is asked for before anything is verified', () => {
    expect(planQueue(view({ entries: [a, b] }))).toEqual([
      { do: 'merge-tree', base: HEAD, members: [a, b] },
    ]);
  });

  test('once it is known it is verified', () => {
    expect(planQueue(view({ entries: [a, b], stacks: [merged(a, b)] }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'ab', members: [a, b] },
    ]);
  });

  test('GT-153 an empty queue asks nothing', () => {
    expect(planQueue(view({ entries: [] }))).toEqual([]);
  });
});

describe('conflicts', () => {
  test('GT-154 the stack goes on without the change that conflicts inside it', () => {
    const stacks = [conflicting([a, b, c], [b]), merged(b)];
    expect(planQueue(view({ entries: [a, b, c], stacks }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'ac', members: [a, c] },
    ]);
  });

  test('what does not merge into the head by itself is ejected', () => {
    const stacks = [conflicting([a, b], [b]), conflicting([b], [b])];
    expect(planQueue(view({ entries: [a, b], stacks }))).toEqual([
      { do: 'eject', id: b, because: 'conflict' },
    ]);
  });

  test('a change is not stacked without the one it needs', () => {
    const entries = [entry(a), entry(b, [a]), entry(c)];
    const stacks = [conflicting([a, b, c], [a]), merged(a), merged(c)];
    expect(planQueue(view({ entries, stacks }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'c', members: [c] },
    ]);
  });

  test('GT-153 what needs a change that left the queue waits', () => {
    expect(planQueue(view({ entries: [entry(b, [a])] }))).toEqual([]);
    const landed = new Set([a]);
    expect(planQueue(view({ entries: [entry(b, [a])], landed }))).toHaveLength(1);
  });
});

describe('landing', () => {
  test('a green stack on the exact head lands as a whole', () => {
    const known = { stacks: [merged(a, b)], verdicts: [verdict('green', a, b)] };
    expect(planQueue(view({ entries: [a, b], ...known }))).toEqual([
      { do: 'land', base: HEAD, tree: 'ab', members: [a, b] },
    ]);
  });

  test('GT-163 a stack that was green on an older head is verified again on this one', () => {
    const known = { stacks: [merged(a)], verdicts: [older('green', a)] };
    expect(planQueue(view({ entries: [a], ...known }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'a', members: [a] },
    ]);
  });

  test('a tree that is already green lands without another run', () => {
    const known = { stacks: [merged(a)], verdicts: [{ ...verdict('green', a), base: 'older' }] };
    expect(planQueue(view({ entries: [a], ...known }))).toEqual([
      { do: 'land', base: HEAD, tree: 'a', members: [a] },
    ]);
  });

  test('a change that was withdrawn does not land with its stack', () => {
    const known = { stacks: [merged(a, b), merged(a)], verdicts: [verdict('green', a, b)] };
    expect(planQueue(view({ entries: [a], ...known }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'a', members: [a] },
    ]);
  });

  test('while the target cannot be moved the next group is verified on top', () => {
    const known = { stacks: [merged(a), merged(a, b)], verdicts: [verdict('green', a)] };
    expect(planQueue(view({ entries: [a, b], held: true, ...known }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'ab', members: [a, b] },
    ]);
    expect(planQueue(view({ entries: [a], held: true, ...known }))).toEqual([]);
  });

  test('a paused queue does nothing at all', () => {
    const known = { stacks: [merged(a)], verdicts: [verdict('green', a)] };
    expect(planQueue(view({ entries: [a], paused: true, ...known }))).toEqual([]);
  });
});

describe('red', () => {
  test('a change that fails alone on the exact head is ejected', () => {
    const known = { stacks: [merged(a)], verdicts: [verdict('red', a)] };
    expect(planQueue(view({ entries: [a], ...known }))).toEqual([
      { do: 'eject', id: a, because: 'red' },
    ]);
  });

  test('a change that failed alone on an older head is tried again', () => {
    const known = { stacks: [merged(a)], verdicts: [older('red', a)] };
    expect(planQueue(view({ entries: [a], ...known }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'a', members: [a] },
    ]);
  });

  test('a change is not judged while one that it needs is still in the queue', () => {
    const known = { stacks: [merged(a, b), merged(b)], verdicts: [verdict('red', b)] };
    expect(planQueue(view({ entries: [entry(a), entry(b, [a])], ...known }))).not.toContainEqual({
      do: 'eject',
      id: b,
      because: 'red',
    });
  });

  test('nobody is ejected for a red group; with one slot its first half is next', () => {
    const known = { stacks: [merged(a, b, c, d), merged(a, b)], redShare: 0.02 };
    const verdicts = [verdict('red', a, b, c, d)];
    expect(planQueue(view({ entries: [a, b, c, d], verdicts, ...known }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'ab', members: [a, b] },
    ]);
  });

  test('not even when the other half was green, until it has failed by itself', () => {
    const verdicts = [verdict('red', a, b), verdict('green', a)];
    const landed = new Set([a]);
    const stacks: Stacks = [[[b], { tree: 'other', members: [b], leftOut: [] }]];
    expect(planQueue(view({ entries: [b], landed, verdicts, stacks }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'other', members: [b] },
    ]);
  });

  test('but when the head is that other half the red group was the proof', () => {
    const verdicts = [verdict('red', a, b), verdict('green', a)];
    const landed = new Set([a]);
    const stacks: Stacks = [[[b], { tree: 'ab', members: [b], leftOut: [] }]];
    expect(planQueue(view({ entries: [b], landed, verdicts, stacks }))).toEqual([
      { do: 'eject', id: b, because: 'red' },
    ]);
  });
});

describe('combinations', () => {
  const apart = [older('green', a, b), older('green', c, d)];

  test('GT-156 a red stack of changes that were green apart is searched by its beginnings', () => {
    const stacks = [merged(a, b, c), merged(a, b), merged(c, d), merged(a)];
    const verdicts = [...apart, verdict('red', a, b, c, d)];
    expect(planQueue(view({ entries: [a, b, c, d], slots: 3, stacks, verdicts }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'abc', members: [a, b, c] },
      { do: 'verify', base: HEAD, tree: 'ab', members: [a, b] },
      { do: 'verify', base: HEAD, tree: 'a', members: [a] },
    ]);
  });

  test('once something on top of vetted changes was red, they are verified without it', () => {
    const stacks = [merged(a, b), merged(a, b, c), merged(c), merged(a, b, d)];
    const verdicts = [older('green', a, b), verdict('red', a, b, c)];
    expect(planQueue(view({ entries: [a, b, c, d], stacks, verdicts }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'ab', members: [a, b] },
    ]);
  });

  test('when answers contradict each other the front of the queue is tried by itself', () => {
    // Green apart on an older head, but reported after the red of both: both count as vetted.
    const verdicts = [verdict('red', a, b), older('green', a), older('green', b)];
    const stacks = [merged(a, b), merged(a), merged(b)];
    expect(planQueue(view({ entries: [a, b], stacks, verdicts }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'a', members: [a] },
    ]);
  });
});

describe('slots', () => {
  test('several slots verify disjoint groups, so one slow change holds up only its own', () => {
    const stacks = [merged(a, b), merged(c, d)];
    const often = { slots: 2, redShare: 0.3 };
    expect(planQueue(view({ entries: [a, b, c, d], ...often, stacks }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'ab', members: [a, b] },
      { do: 'verify', base: HEAD, tree: 'cd', members: [c, d] },
    ]);
  });

  test('few changes that may well all be green are verified all at once, beside their groups', () => {
    const stacks = [merged(a, b, c, d), merged(a, b), merged(c, d)];
    expect(planQueue(view({ entries: [a, b, c, d], slots: 4, stacks }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'abcd', members: [a, b, c, d] },
      { do: 'verify', base: HEAD, tree: 'ab', members: [a, b] },
      { do: 'verify', base: HEAD, tree: 'cd', members: [c, d] },
    ]);
  });

  test('which leaves a slot for what comes in: that is verified on top of it all', () => {
    const running = [run(a, b, c), run(a), run(b)];
    const stacks = [merged(a, b, c, d), merged(d)];
    expect(planQueue(view({ entries: [a, b, c, d], slots: 4, stacks, running }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'abcd', members: [a, b, c, d] },
    ]);
  });

  test('when all others have an answer, the rest is verified at once and the suspects on what is vetted', () => {
    const verdicts = [older('green', a), older('red', d)];
    const stacks = [merged(a, b, c), merged(a), merged(a, d), merged(a, b), merged(d)];
    expect(planQueue(view({ entries: [a, b, c, d], slots: 4, stacks, verdicts }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'abc', members: [a, b, c] },
      { do: 'verify', base: HEAD, tree: 'a', members: [a] },
      { do: 'verify', base: HEAD, tree: 'ad', members: [a, d] },
      { do: 'verify', base: HEAD, tree: 'ab', members: [a, b] },
    ]);
  });

  test('what needs a change of another group waits, the rest of its own group does not', () => {
    const entries = [entry(a), entry(b), entry(c, [b]), entry(d)];
    const often = { slots: 2, redShare: 0.3 };
    expect(planQueue(view({ entries, ...often, stacks: [merged(a, b), merged(d)] }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'ab', members: [a, b] },
      { do: 'verify', base: HEAD, tree: 'd', members: [d] },
    ]);
  });

  test('what comes in while something is verified is verified on top of it', () => {
    const running = [{ id: 'v1', base: HEAD, tree: 'a', members: [a] }];
    const stacks = [merged(a, b, c), merged(b, c)];
    expect(planQueue(view({ entries: [a, b, c], slots: 3, running, stacks }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'abc', members: [a, b, c] },
    ]);
  });

  test('but not on top of what is suspected, nor more than is likely to be green', () => {
    const running = [{ id: 'v1', base: HEAD, tree: 'a', members: [a] }];
    const wary = { entries: [a, b], slots: 3, running, stacks: [merged(b), merged(a, b)] };
    const alone = { do: 'verify', base: HEAD, tree: 'b', members: [b] };
    expect(planQueue(view({ ...wary, redShare: 0.5 }))).toEqual([alone]);
    const known = { stacks: [...wary.stacks, merged(a)], verdicts: [older('red', a)] };
    expect(planQueue(view({ ...wary, ...known }))).toEqual([alone]);
  });

  test('a full house starts nothing', () => {
    const running = [{ id: 'v1', base: HEAD, tree: 'a', members: [a] }];
    expect(planQueue(view({ entries: [a, b], running, stacks: [merged(b)] }))).toEqual([]);
  });

  test('a run with a change that left is cancelled and its slot used', () => {
    const running = [{ id: 'v1', base: HEAD, tree: 'ab', members: [a, b] }];
    expect(planQueue(view({ entries: [a], running, stacks: [merged(a)] }))).toEqual([
      { do: 'cancel', verification: 'v1' },
      { do: 'verify', base: HEAD, tree: 'a', members: [a] },
    ]);
  });

  test('a vetted change is the ground under the next group', () => {
    const known = { stacks: [merged(a), merged(a, b)], verdicts: [older('green', a)] };
    expect(planQueue(view({ entries: [a, b], ...known }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'ab', members: [a, b] },
    ]);
  });
});

describe('GT-157 a change that was overtaken too often', () => {
  const overdue = { id: c, needs: [], overtaken: MOST_OVERTAKEN };

  test('is tried by itself before anything else', () => {
    const stacks = [merged(c), merged(a, b, c)];
    expect(planQueue(view({ entries: [entry(a), entry(b), overdue], stacks }))).toEqual([
      { do: 'verify', base: HEAD, tree: 'c', members: [c] },
    ]);
  });

  test('lands before a larger stack without it', () => {
    const stacks = [merged(a, b), merged(c)];
    const verdicts = [verdict('green', a, b), verdict('green', c)];
    const entries = [entry(a), entry(b), overdue];
    expect(planQueue(view({ entries, stacks, verdicts }))).toEqual([
      { do: 'land', base: HEAD, tree: 'c', members: [c] },
    ]);
  });

  test('keeps the head still until its run has ended', () => {
    const running = [{ id: 'v1', base: HEAD, tree: 'c', members: [c] }];
    const stacks = [merged(a), merged(c)];
    const known = { stacks, verdicts: [verdict('green', a)], entries: [entry(a), overdue] };
    expect(planQueue(view({ ...known, running }))).toEqual([]);
    expect(planQueue(view({ ...known, running: [], slots: 0 }))).toMatchObject([{ do: 'land' }]);
  });
});

describe('while answers are about to come', () => {
  const running = [{ id: 'v1', base: HEAD, tree: 'c', members: [c] }];

  test('slots stay empty: the next answer may make any run pointless', () => {
    const verdicts = [verdict('red', a, b)];
    const stacks = [merged(a), merged(b), merged(c), merged(a, b)];
    const known = { entries: [a, b, c], slots: 3, running, verdicts, stacks };
    expect(planQueue(view({ ...known, answersDue: true }))).toEqual([]);
    expect(planQueue(view(known))).not.toEqual([]);
  });

  test('what is green lands all the same', () => {
    const known = { stacks: [merged(a)], verdicts: [verdict('green', a)], running };
    expect(planQueue(view({ ...known, entries: [a, c], answersDue: true }))).toMatchObject([
      { do: 'land', members: [a] },
    ]);
  });

  test('also when a larger run is due: where more keeps coming there is always one', () => {
    const known = { stacks: [merged(a), merged(a, c)], verdicts: [verdict('green', a)] };
    const larger = { ...known, entries: [a, c], running: [run(a, c)] };
    expect(planQueue(view({ ...larger, answersDue: true }))).toMatchObject([
      { do: 'land', members: [a] },
    ]);
  });

  test('what counts on every answer is verified on top of them', () => {
    const known = { entries: [c, a], slots: 2, running, stacks: [merged(c, a)] };
    expect(planQueue(view({ ...known, answersDue: true }))).toMatchObject([
      { do: 'verify', members: [c, a] },
    ]);
  });
});

describe('landing in two steps', () => {
  const stacks = [merged(a), merged(a, b), merged(a, d), merged(d)];
  const entries = [a, b, d];
  const suspected = [older('red', d)];

  test('first that on which a suspect failed, so that this is proof', () => {
    const answers = [verdict('green', a, b), verdict('green', a), verdict('red', a, d)];
    const verdicts = [...suspected, ...answers];
    expect(planQueue(view({ entries, stacks, verdicts }))).toEqual([
      { do: 'land', base: HEAD, tree: 'a', members: [a] },
    ]);
  });

  test('then the suspect leaves and the rest lands, both without another run', () => {
    const answers = [verdict('green', a, b), verdict('green', a), verdict('red', a, d)];
    const onTop: Stacks = [
      [[b], { tree: 'ab', members: [b], leftOut: [] }],
      [[d], { tree: 'ad', members: [d], leftOut: [] }],
    ];
    const verdicts = [...suspected, ...answers].map((one) => ({ ...one, base: 'before' }));
    const after = { entries: [b, d], landed: new Set([a]), verdicts, stacks: onTop };
    expect(planQueue(view(after))).toEqual([
      { do: 'eject', id: d, because: 'red' },
      { do: 'land', base: HEAD, tree: 'ab', members: [b] },
    ]);
  });

  test('an answer about the first step is awaited when it is due, and only then', () => {
    const verdicts = [...suspected, verdict('green', a, b), verdict('red', a, d)];
    const known = { entries, stacks, verdicts, running: [run(a)] };
    expect(planQueue(view({ ...known, answersDue: true }))).toEqual([]);
    expect(planQueue(view(known))).toMatchObject([{ do: 'land', members: [a, b] }]);
  });

  test('so is one about a suspect on the head itself', () => {
    const verdicts = [...suspected, verdict('green', a, b)];
    const known = { entries, stacks, verdicts, running: [run(d)] };
    expect(planQueue(view({ ...known, answersDue: true }))).toEqual([]);
    expect(planQueue(view(known))).toMatchObject([{ do: 'land', members: [a, b] }]);
  });

  test('what is red alone and green with others stays with them, also while they wait', () => {
    const answers = [verdict('red', b), verdict('green', a, b), verdict('red', a, d)];
    const known = { entries, stacks: [...stacks, merged(b)], verdicts: [...suspected, ...answers] };
    const waiting = planQueue(view({ ...known, running: [run(a)], answersDue: true }));
    expect(waiting.filter((step) => step.do === 'eject')).toEqual([]);
    const held = planQueue(view({ ...known, held: true }));
    expect(held.filter((step) => step.do === 'eject')).toEqual([]);
    expect(planQueue(view(known))).toMatchObject([{ do: 'land', members: [a, b] }]);
  });

  test('nothing else holds a landing up', () => {
    const verdicts = [...suspected, verdict('green', a, b), verdict('red', a, d)];
    const due = { running: [run(c)], answersDue: true };
    const known = { entries: [a, b, c, d], stacks: [...stacks, merged(c)], verdicts };
    expect(planQueue(view({ ...known, ...due }))).toMatchObject([{ do: 'land', members: [a, b] }]);
  });

  test('not even a change that was red alone and green with another', () => {
    const verdicts = [verdict('red', a), verdict('green', a, b)];
    const due = { running: [run(b)], answersDue: true };
    const known = { entries, stacks: [...stacks, merged(b)], verdicts, ...due };
    expect(planQueue(view(known))).toMatchObject([{ do: 'land', members: [a, b] }]);
  });
});

type Stacks = [asked: readonly ChangeId[], stack: Stack][];
type Facts = Omit<Partial<QueueView>, 'entries' | 'stacks'> & {
  entries: readonly (ChangeId | QueueView['entries'][number])[];
  stacks?: Stacks;
};

function view({ entries, stacks = [], ...rest }: Facts): QueueView {
  return {
    head: { commit: HEAD, tree: 'empty' },
    entries: entries.map((one) => (typeof one === 'string' ? entry(one) : one)),
    landed: new Set(),
    failed: new Set(),
    slots: 1,
    running: [],
    answersDue: false,
    verdicts: [],
    stacks: new Map(stacks.map(([asked, stack]) => [stackKey(HEAD, asked), stack])),
    redShare: 0.1,
    paused: false,
    held: false,
    ...rest,
  };
}

function run(...members: ChangeId[]): QueueView['running'][number] {
  return { id: members.join(''), base: HEAD, tree: members.join(''), members };
}

function entry(id: ChangeId, needs: ChangeId[] = []): QueueView['entries'][number] {
  return { id, needs, overtaken: 0 };
}

/** The tree of a stack is named after its members here. */
function merged(...members: ChangeId[]): Stacks[number] {
  return conflicting(members, []);
}

function conflicting(asked: ChangeId[], leftOut: ChangeId[]): Stacks[number] {
  const members = asked.filter((id) => !leftOut.includes(id));
  return [asked, { tree: members.join(''), members, leftOut }];
}

/** An answer on a base that is not the head any more, about a tree that nothing here has. */
function older(colour: 'green' | 'red', ...members: ChangeId[]): Verdict {
  return { base: 'older', tree: `older ${members.join('')}`, members, colour };
}

function verdict(colour: 'green' | 'red', ...members: ChangeId[]): Verdict {
  return { base: HEAD, tree: members.join(''), members, colour };
}
