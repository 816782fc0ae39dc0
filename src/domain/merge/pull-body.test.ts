import { expect, test } from 'vitest';
import { pullBody, type PullTask, type PullWords } from './pull-body.ts';

const task: PullTask = {
  id: 'web-a',
  title: 'Price a cart',
  description: 'With tax',
  acceptance: [{ text: 'the sum is right' }],
  change: 'ch-1',
  commit: 'c0ffee',
  attempts: 2,
  status: 'merged',
};
const words: PullWords = {
  title: 'Cart',
  convoy: 'cv-1',
  tasks: [task],
  target: 'main',
  onto: 'b0',
  tree: 't1',
  gates: ['test', 'lint'],
  reviews: ['A reviewer approved the whole (tree t1).'],
};

test('KG-55 every task stands there with what it had to fulfil, its change and what was tested', () =>
  expect(
    pullBody({
      ...words,
      tasks: [
        task,
        { ...task, id: 'web-b', change: null, commit: null, status: 'closed', acceptance: [] },
      ],
    }),
  ).toMatchInlineSnapshot(`
    "2 tasks.

    ### \`web-a\` Price a cart

    Acceptance:
    - the sum is right

    change \`ch-1\`, commit \`c0ffee\`, 2 attempts.

    ### \`web-b\` Price a cart

    No acceptance criteria.

    no code (closed), 2 attempts.


    ### Evidence

    - Gates passed on the merged tree: \`test\`, \`lint\`.
    - Tested tree \`t1\`, merged on top of \`main\` at \`b0\`.
    - If the target moves, the gates run again before Convoy merges.
    - A reviewer approved the whole (tree t1).

    Made by Convoy for \`cv-1\`."
  `));

test('the words of others call nobody and bring no markup', () => {
  const body = pullBody({ ...words, tasks: [{ ...task, title: 'Ask @mona <img src=x>' }] });
  expect(body).not.toContain('@mona');
  expect(body).not.toContain('<img');
  expect(body).toContain('With tax');
});

test('without a gate it says that nothing was tested', () =>
  expect(pullBody({ ...words, gates: [] })).toContain('**nothing was tested**'));

test('a thousand tasks fit, and what does not is named as missing', () => {
  const tasks = Array.from({ length: 1000 }, (_, at) => ({ ...task, id: `web-${at}` }));
  const body = pullBody({ ...words, tasks });
  expect(body.length).toBeLessThan(65_536);
  expect(body).toContain('more than fits here');
  expect(body).toContain('### Evidence');
});
