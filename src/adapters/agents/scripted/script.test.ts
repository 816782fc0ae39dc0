import { expect, test } from 'vitest';
import { attemptId, convoyId, taskId } from '../../../domain/work/ids.ts';
import type { Assignment } from '../../../ports/agent.ts';
import { parseScript, type Script } from './script.ts';
import { stepsFor } from './select.ts';

const problems = (value: unknown): string[] => {
  const result = parseScript(typeof value === 'string' ? value : JSON.stringify(value));
  return result.ok ? [] : result.error.map(({ path, message }) => `${path}: ${message}`);
};
const withStep = (step: unknown) => ({ scripts: [{ steps: [step] }] });

test.each([
  ['{', /^: .*JSON/],
  [{}, /^scripts: .*array/],
  [{ scripts: [] }, /^scripts: Too small/],
  [withStep({ do: 'dance' }), /^scripts\[0\]\.steps\[0\]\.do: Invalid/],
  [withStep({ do: 'write', path: 'a' }), /^scripts\[0\]\.steps\[0\]\.content: .*string/],
  [
    withStep({ do: 'write', path: '../a', content: '' }),
    /^scripts\[0\]\.steps\[0\]\.path: must stay inside the worktree/,
  ],
  [
    withStep({ do: 'delete', path: '/etc/passwd' }),
    /^scripts\[0\]\.steps\[0\]\.path: must stay inside the worktree/,
  ],
  [withStep({ do: 'sleep', ms: -1 }), /^scripts\[0\]\.steps\[0\]\.ms: Too small/],
  [withStep({ do: 'sleep', ms: 1, secs: 1 }), /^scripts\[0\]\.steps\[0\]: Unrecognized key.*secs/],
  [
    { scripts: [{ when: { role: 'boss' }, steps: [] }] },
    /^scripts\[0\]\.when\.role: Invalid option/,
  ],
])('%j is refused with the place of the mistake', (value, expected) => {
  const found = problems(value);
  expect(found).toHaveLength(1);
  expect(found[0]).toMatch(expected);
});

const script = (value: unknown): Script => {
  const result = parseScript(JSON.stringify(value));
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
};
const print = (text: string, when?: object) => ({ do: 'print', text, ...(when ? { when } : {}) });
const assignment = (more: Partial<Assignment> = {}): Assignment => ({
  attempt: attemptId('a'),
  number: 1,
  task: { id: taskId('web-7'), title: 'Add a (new) page', type: 'task' },
  convoy: convoyId('cv-1'),
  role: 'worker',
  prompt: '',
  worktree: '/w',
  branch: 'b',
  base: 'c',
  directory: '/d',
  access: { url: '', token: '' },
  environment: { base: {}, allow: [], convoyRoot: '/c' },
  ...more,
});
const texts = (given: Script, more?: Partial<Assignment>, env = {}) =>
  stepsFor(given, assignment(more), env)?.map((step) =>
    step.do === 'print' ? step.text : step.do,
  );

test('the first script whose condition holds is played, by task, title, role, attempt or environment', () => {
  const given = script({
    scripts: [
      { when: { task: 'api-*' }, steps: [print('api')] },
      { when: { title: 'Add a (new) p?ge', attempt: 1 }, steps: [print('first')] },
      { when: { role: 'reviewer' }, steps: [print('review')] },
      { when: { attempt: { from: 2, to: 3 }, env: { MODE: 'f*' } }, steps: [print('fast')] },
      { when: { attempt: { from: 3 } }, steps: [print('third')] },
    ],
  });
  const api = { id: taskId('api-1'), title: 'x', type: 'task' } as const;
  expect(texts(given, { task: api })).toEqual(['api']);
  expect(texts(given)).toEqual(['first']);
  expect(texts(given, { number: 2, role: 'reviewer' })).toEqual(['review']);
  expect(texts(given, { number: 2 }, { MODE: 'fast' })).toEqual(['fast']);
  expect(texts(given, { number: 2 })).toBeUndefined();
  expect(texts(given, { number: 4 })).toEqual(['third']);
});

test('a step may have a condition of its own', () => {
  const given = script({
    scripts: [{ steps: [print('always'), print('again', { attempt: { from: 2 } })] }],
  });
  expect(texts(given)).toEqual(['always']);
  expect(texts(given, { number: 2 })).toEqual(['always', 'again']);
});

test('texts are filled in once', () => {
  const given = script({ scripts: [{ steps: [print('{task_id}/{attempt} {title} {role} {x}')] }] });
  const task = { id: taskId('web-7'), title: '{role}', type: 'task' } as const;
  expect(texts(given, { task })).toEqual(['web-7/1 {role} worker {x}']);
});
