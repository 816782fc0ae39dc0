import { describe, expect, test } from 'vitest';
import {
  a,
  b,
  c,
  d,
  HEAD,
  conflicting,
  entry,
  merged,
  older,
  run,
  type Stacks,
  verdict,
  view,
} from '../../../test/queue/small-view.ts';
import { MOST_OVERTAKEN } from './fill-slots.ts';
import { planQueue } from './plan.ts';

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
