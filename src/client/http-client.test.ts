import { expect, test } from 'vitest';
import { listTasks, showTask } from '../contract/routes/tasks.ts';
import { clientOver } from './http-client.ts';

const answering = (text: string, status = 200) =>
  clientOver('http://x', null, async () => new Response(text, { status }));

test('an answer that breaks off is a problem, not an empty answer', async () => {
  expect(await answering('{"schema":"convoy.v1","tas').call(listTasks, {})).toMatchObject({
    ok: false,
    error: {
      kind: 'unavailable',
      code: 'bad_answer',
      message: 'The answer broke off before its end.',
    },
  });
});

test('what is no answer of ours is named by its status', async () => {
  expect(await answering('<html>', 502).call(listTasks, {})).toMatchObject({
    ok: false,
    error: { code: 'bad_answer', message: 'The daemon answered 502 and nothing we understand.' },
  });
});

test('a problem comes through as it was sent', async () => {
  const problem = { kind: 'refused', code: 'no', message: 'No.' };
  expect(await answering(JSON.stringify(problem), 422).call(listTasks, {})).toEqual({
    ok: false,
    error: problem,
  });
});

test('a path parameter cannot leave its place in the address', async () => {
  const asked: string[] = [];
  const client = clientOver('http://x', 't', async (request) => {
    asked.push(request.url, request.headers.get('authorization') ?? '');
    return new Response('{}');
  });
  await client.call(showTask, { params: { id: '../convoys?x=1#y' } });
  expect(asked).toEqual(['http://x/api/v1/tasks/..%2Fconvoys%3Fx%3D1%23y', 'Bearer t']);
});

test.each(['', '  ', '.', '..'])(
  'the name "%s" is refused before it becomes another address',
  async (id) => {
    expect(await answering('{}').call(showTask, { params: { id } })).toMatchObject({
      ok: false,
      error: { kind: 'invalid', code: 'invalid_request' },
    });
  },
);
