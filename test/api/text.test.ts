import { expect, test } from 'vitest';
import { createTask, listTasks } from '../../src/contract/routes/tasks.ts';
import { makeApi } from './rig.ts';

test.each([
  ['a NUL', 'zero \0'],
  ['half a surrogate pair', 'half \ud83d'],
])('a title with %s is refused, and nothing is written', async (_, title) => {
  const api = await makeApi();
  const problem = await api.refusal(createTask, { body: { title } });
  expect(problem).toMatchObject({ kind: 'invalid', code: 'invalid_request' });
  expect(problem.message).toMatch(/^title: /);
});

test('a search for a NUL is refused like any other malformed request', async () => {
  const api = await makeApi();
  expect(await api.refusal(listTasks, { query: { text: '\0' } })).toMatchObject({
    code: 'invalid_request',
  });
});

test('any whole character is kept', async () => {
  const api = await makeApi();
  const id = await api.task('Über 🚚 \u0001 日本');
  const { tasks } = await api.ask(listTasks, { query: {} });
  expect(tasks).toMatchObject([{ id, title: 'Über 🚚 \u0001 日本' }]);
  expect(await api.verified()).toBe(true);
});
