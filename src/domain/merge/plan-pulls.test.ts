import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type ChangeId, changeId } from '../work/ids.ts';
import { planPulls } from './plan-pulls.ts';
import { type QueueStep, type QueueView, type Stack, stackKey } from './queue-view.ts';

const [a, b, c] = ['a', 'b', 'c'].map(changeId) as [ChangeId, ChangeId, ChangeId];
const HEAD = 'head';

const treeOf = (members: readonly ChangeId[]): string => `t:${members.join('')}`;

type Given = {
  readonly entries: readonly ChangeId[];
  readonly asked?: readonly (readonly ChangeId[])[];
  readonly conflicting?: readonly ChangeId[];
  readonly green?: readonly (readonly ChangeId[])[];
  readonly red?: readonly (readonly ChangeId[])[];
  readonly running?: readonly (readonly ChangeId[])[];
  readonly slots?: number;
  readonly held?: boolean;
};

function view(given: Given): QueueView {
  const stack = (members: readonly ChangeId[]): Stack => {
    const leftOut = members.filter((id) => given.conflicting?.includes(id) === true);
    const inside = members.filter((id) => !leftOut.includes(id));
    return { tree: treeOf(inside), members: inside, leftOut };
  };
  const verdict = (colour: 'green' | 'red') => (members: readonly ChangeId[]) => ({
    base: HEAD,
    tree: treeOf(members),
    members,
    colour,
  });
  return {
    head: { commit: HEAD, tree: 'main' },
    entries: given.entries.map((id) => ({ id, needs: [], overtaken: 0 })),
    failed: new Set(),
    landed: new Set(),
    slots: given.slots ?? 2,
    running: (given.running ?? []).map((members) => ({
      id: `v:${members.join('')}`,
      base: HEAD,
      tree: treeOf(members),
      members,
    })),
    verdicts: [
      ...(given.green ?? []).map(verdict('green')),
      ...(given.red ?? []).map(verdict('red')),
    ],
    stacks: new Map(
      (given.asked ?? []).map((members) => [stackKey(HEAD, members), stack(members)]),
    ),
    answersDue: false,
    redShare: 0.1,
    paused: false,
    held: given.held ?? false,
  };
}

const plan = (given: Given, ready: readonly ChangeId[] = [], failed: readonly ChangeId[] = []) =>
  planPulls(view(given), new Set(ready), new Set(failed)).map(words);

const words = (step: QueueStep): string => {
  switch (step.do) {
    case 'merge-tree':
      return `ask ${step.members.join('')}`;
    case 'cancel':
      return `cancel ${step.verification}`;
    case 'eject':
      return `eject ${step.id} ${step.because}`;
    default:
      return `${step.do} ${step.members.join('')}`;
  }
};

const ALONE = [[a], [b], [c]];

describe('proposing', () => {
  test('each change is asked for, and verified, alone on the target; as many as there are slots', () => {
    expect(plan({ entries: [a, b, c] })).toEqual(['ask a', 'ask b', 'ask c']);
    expect(plan({ entries: [a, b, c], asked: ALONE })).toEqual(['verify a', 'verify b']);
    expect(plan({ entries: [a, b, c], asked: ALONE, running: [[a], [b]] })).toEqual([]);
    expect(plan({ entries: [a, b, c], asked: ALONE, running: [[a]] })).toEqual(['verify b']);
  });

  test('what is green is delivered while others are still verified, one at a time', () => {
    const given = { entries: [a, b, c], asked: ALONE, green: [[b], [c]], slots: 3 };
    expect(plan(given)).toEqual(['verify a', 'land b']);
    expect(plan({ ...given, held: true })).toEqual(['verify a']);
    // One that could not be proposed holds up nobody.
    expect(plan(given, [], [b])).toEqual(['verify a', 'land c']);
  });

  test('red and conflict are told from the change alone, and it leaves', () => {
    expect(plan({ entries: [a, b], asked: ALONE, red: [[a]] })).toEqual(['eject a red']);
    expect(plan({ entries: [a, b], asked: ALONE, conflicting: [b] })).toEqual(['eject b conflict']);
  });
});

describe('merging', () => {
  test('those that may be merged are verified on top of each other, after what is to be proposed', () => {
    const given = { entries: [a, b, c], asked: [...ALONE, [a, b]], slots: 4 };
    expect(plan(given, [a, b])).toEqual(['verify a', 'verify c', 'verify ab']);
    expect(plan({ ...given, asked: ALONE }, [a, b])).toEqual(['ask ab']);
    expect(plan({ ...given, slots: 1 }, [a, b])).toEqual(['verify a']);
  });

  test('a merge goes before a proposal, and any that is green on this very target may go', () => {
    const given = { entries: [a, b, c], asked: [...ALONE, [b, c]], slots: 1 };
    expect(plan({ ...given, green: [[a], [c]] }, [b, c])).toEqual(['verify b', 'land c']);
  });

  test('what conflicts with the one before it is not guessed at', () => {
    const given = view({ entries: [a, b], asked: ALONE });
    const together: Stack = { tree: 't:a', members: [a], leftOut: [b] };
    const stacks = new Map([...given.stacks, [stackKey(HEAD, [a, b]), together]]);
    const steps = planPulls({ ...given, stacks }, new Set([a, b]), new Set());
    expect(steps.map(words)).toEqual(['verify a']);
  });

  test('a run goes on when what it was built on has landed, and ends when it is no use', () => {
    // On the old target it was a and b together; on the new one it is b alone, the same tree.
    const built = view({ entries: [b], asked: [[b]] });
    const same = { id: 'v1', base: 'old', tree: treeOf([b]), members: [a, b] };
    const other = { id: 'v2', base: 'old', tree: 'another', members: [b] };
    const steps = planPulls({ ...built, running: [same, other] }, new Set([b]), new Set());
    expect(steps.map(words)).toEqual(['cancel v2']);
  });
});

test('never more runs than slots, nothing lands that is not green alone, nothing twice', () => {
  const some = fc.subarray([a, b, c]);
  const groups = fc.subarray([[a], [b], [c], [a, b], [b, c], [a, c], [a, b, c]]);
  fc.assert(
    fc.property(
      fc.record({
        entries: some,
        asked: groups,
        green: groups,
        running: groups,
        conflicting: fc.constantFrom([], [b]),
        slots: fc.integer({ min: 1, max: 4 }),
      }),
      some,
      (given, ready) => {
        const seen = view(given);
        const steps = planPulls(seen, new Set(ready), new Set());
        const count = (what: QueueStep['do']): number =>
          steps.filter((step) => step.do === what).length;
        const after = given.running.length - count('cancel') + count('verify');
        expect(after).toBeLessThanOrEqual(Math.max(given.slots, given.running.length));
        expect(count('land')).toBeLessThanOrEqual(1);
        const wrong = steps.filter(
          (step) =>
            step.do === 'land' &&
            (step.members.length !== 1 || !given.green.map(treeOf).includes(step.tree)),
        );
        expect(wrong).toEqual([]);
        expect(new Set(steps.map(words)).size).toBe(steps.length);
      },
    ),
  );
});
