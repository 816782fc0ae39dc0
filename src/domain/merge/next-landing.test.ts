import { describe, expect, test } from 'vitest';
import {
  a,
  b,
  c,
  d,
  HEAD,
  merged,
  older,
  run,
  type Stacks,
  verdict,
  view,
} from '../../../test/queue/small-view.ts';
import { planQueue } from './plan.ts';

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
