import { type ChangeId, changeId } from '../../src/domain/work/ids.ts';
import {
  type QueueView,
  type Stack,
  stackKey,
  type Verdict,
} from '../../src/domain/merge/queue-view.ts';

/** A queue of a few changes with one letter each, as the planner sees it. */
export const a = changeId('a');
export const b = changeId('b');
export const c = changeId('c');
export const d = changeId('d');
export const HEAD = 'head';

export type Stacks = [asked: readonly ChangeId[], stack: Stack][];
type Facts = Omit<Partial<QueueView>, 'entries' | 'stacks'> & {
  entries: readonly (ChangeId | QueueView['entries'][number])[];
  stacks?: Stacks;
};

export function view({ entries, stacks = [], ...rest }: Facts): QueueView {
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

export function run(...members: ChangeId[]): QueueView['running'][number] {
  return { id: members.join(''), base: HEAD, tree: members.join(''), members };
}

export function entry(id: ChangeId, needs: ChangeId[] = []): QueueView['entries'][number] {
  return { id, needs, overtaken: 0 };
}

/** The tree of a stack is named after its members here. */
export function merged(...members: ChangeId[]): Stacks[number] {
  return conflicting(members, []);
}

export function conflicting(asked: ChangeId[], leftOut: ChangeId[]): Stacks[number] {
  const members = asked.filter((id) => !leftOut.includes(id));
  return [asked, { tree: members.join(''), members, leftOut }];
}

/** An answer on a base that is not the head any more, about a tree that nothing here has. */
export function older(colour: 'green' | 'red', ...members: ChangeId[]): Verdict {
  return { base: 'older', tree: `older ${members.join('')}`, members, colour };
}

export function verdict(colour: 'green' | 'red', ...members: ChangeId[]): Verdict {
  return { base: HEAD, tree: members.join(''), members, colour };
}
