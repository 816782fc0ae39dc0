import { describe, expect, test } from 'vitest';
import { changeId } from '../work/ids.ts';
import { believe } from './beliefs.ts';
import { type QueueView, type Stack, stackKey } from './queue-view.ts';

test('nothing is believed without verdicts', () => {
  expect(told('abcd')).toEqual({ vetted: '', suspects: [] });
});

test('a green stack vets its members, on whatever base', () => {
  expect(told('abcd', 'green ab')).toEqual({ vetted: 'ab', suspects: [] });
});

test('a red stack puts suspicion on what was not vetted before', () => {
  expect(told('abcd', 'green ab', 'red abcd')).toEqual({ vetted: 'ab', suspects: ['cd'] });
});

test('a green answer clears part of a suspected group and leaves the rest suspect', () => {
  expect(told('abcd', 'red abcd', 'green ab')).toEqual({ vetted: 'ab', suspects: ['cd'] });
});

test('a smaller red group inside a larger one leaves the rest of it open', () => {
  expect(told('abcd', 'red abcd', 'red ab')).toEqual({ vetted: '', suspects: ['ab'] });
});

test('a larger red group around a smaller one tells nothing new', () => {
  expect(told('abcd', 'red ab', 'red abcd')).toEqual({ vetted: '', suspects: ['ab'] });
});

test('GT-156 when all were green apart, the combination opens them all again', () => {
  expect(told('abcd', 'green ab', 'green cd', 'red abcd')).toEqual({
    vetted: '',
    suspects: ['abcd!'],
  });
});

test('a smaller red set inside a combination leaves the others as good as before', () => {
  expect(told('abcd', 'green ab', 'green cd', 'red abcd', 'red bc')).toEqual({
    vetted: 'ad',
    suspects: ['bc!'],
  });
});

describe('changes that left', () => {
  test('a red stack with a change that failed alone says nothing about the others', () => {
    const failed = new Set([changeId('a')]);
    expect(read(believe(view('bc', ['red abc'], { failed })))).toEqual({
      vetted: '',
      suspects: [],
    });
  });

  test('a red stack with a change that left for another reason is still about the others', () => {
    expect(told('bc', 'red abc')).toEqual({ vetted: '', suspects: ['bc'] });
  });

  test('a red stack with a change that landed is about the others', () => {
    const landed = new Set([changeId('a')]);
    expect(read(believe(view('bc', ['red abc'], { landed })))).toEqual({
      vetted: '',
      suspects: ['bc'],
    });
  });
});

test('a known tree reached by another way speaks about that stack too', () => {
  const ids = Array.from('b', changeId);
  const stack: Stack = { tree: 'a', members: ids, leftOut: [] };
  const stacks = new Map([[stackKey('head', ids), stack]]);
  const landed = new Set([changeId('a')]);
  expect(read(believe(view('b', ['green a'], { landed, stacks })))).toEqual({
    vetted: 'b',
    suspects: [],
  });
});

/** Verdicts as words: colour and members, each change one letter. */
function told(queue: string, ...verdicts: string[]): { vetted: string; suspects: string[] } {
  return read(believe(view(queue, verdicts)));
}

function read(beliefs: ReturnType<typeof believe>): { vetted: string; suspects: string[] } {
  return {
    vetted: [...beliefs.vetted].toSorted().join(''),
    suspects: beliefs.suspects.map(
      ({ members, combined }) => `${members.join('')}${combined ? '!' : ''}`,
    ),
  };
}

function view(queue: string, verdicts: string[], rest: Partial<QueueView> = {}): QueueView {
  return {
    head: { commit: 'head', tree: '' },
    entries: Array.from(queue, (id) => ({ id: changeId(id), needs: [], overtaken: 0 })),
    landed: new Set(),
    failed: new Set(),
    slots: 1,
    running: [],
    answersDue: false,
    verdicts: verdicts.map((words) => {
      const [colour, tree = ''] = words.split(' ');
      const members = Array.from(tree, changeId);
      return { base: 'base', tree, members, colour: colour === 'red' ? 'red' : 'green' };
    }),
    stacks: new Map(),
    redShare: 0.1,
    paused: false,
    held: false,
    ...rest,
  };
}
