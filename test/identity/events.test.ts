import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.stop());

type Told = { id: number; kind: string; subject: string; at: number };

/** Reads a stream until `enough`, and gives up when it ends. */
function listen(
  path: string,
  headers: Record<string, string>,
  enough: (told: Told[]) => boolean,
): { open: Promise<null>; done: Promise<Told[]> } {
  const open = Promise.withResolvers<null>();
  const done = Promise.withResolvers<Told[]>();
  const told: Told[] = [];
  let buffer = '';
  const outgoing = httpRequest(
    rig.url + path,
    {
      agent: false,
      headers: {
        authorization: `Bearer ${rig.operator}`,
        accept: 'text/event-stream',
        ...headers,
      },
    },
    (incoming) => {
      incoming.on('data', (chunk: Buffer) => {
        open.resolve(null);
        buffer += chunk.toString('utf8');
        for (let end = buffer.indexOf('\n\n'); end !== -1; end = buffer.indexOf('\n\n')) {
          const block = buffer.slice(0, end);
          buffer = buffer.slice(end + 2);
          const data = /^data: (.*)$/m.exec(block)?.[1];
          if (data === undefined) continue;
          const { kind, subject } = JSON.parse(data);
          const id = Number(/^id: (\d+)$/m.exec(block)?.[1]);
          told.push({ id, kind, subject, at: performance.now() });
        }
        if (!enough(told)) return;
        outgoing.destroy();
        done.resolve(told);
      });
      incoming.on('end', () => done.resolve(told));
    },
  );
  outgoing.on('error', () => done.resolve(told));
  outgoing.end();
  return { open: open.promise, done: done.promise };
}

const create = async (title: string): Promise<string> =>
  (await rig.ask('/api/v1/tasks', { method: 'POST', body: { title } })).json.task.id;

test('a reader that lost its stream goes on after the last event it saw', async () => {
  for (const title of ['1', '2', '3']) await create(title);
  const first = await listen('/api/v1/events', {}, (told) => told.length >= 2).done;
  const last = first[1]?.id ?? 0;
  const resumed = await listen(
    '/api/v1/events?after=0',
    { 'last-event-id': String(last) },
    (told) => told.length > 0,
  ).done;
  expect(resumed[0]?.id).toBe(last + 1);
});

test('DC-69 an event is told within 100 ms of its commit', async () => {
  const { last } = (await rig.ask('/api/v1/events?limit=10000')).json;
  const stream = listen(`/api/v1/events?after=${last}`, {}, (told) => told.length > 0);
  await stream.open;
  await create('Now');
  const committed = performance.now();
  const [told] = await stream.done;
  expect((told?.at ?? Infinity) - committed).toBeLessThan(100);
});

test('a stream tells only what it was asked for: by kind, and by the id as people write it', async () => {
  const [one, two] = [await create('One'), await create('Two')];
  await rig.ask(`/api/v1/tasks/${two}/close`, { method: 'POST', body: {} });
  const closed = await listen('/api/v1/events?kind=task-closed', {}, (told) => told.length > 0)
    .done;
  expect(closed).toMatchObject([{ kind: 'task-closed', subject: `task/${two}` }]);
  const mine = await listen(`/api/v1/events?subject=${two}`, {}, (told) => told.length >= 2).done;
  expect(mine.map(({ kind }) => kind)).toEqual(['task-created', 'task-closed']);
  const full = await listen(`/api/v1/events?subject=task/${one}`, {}, (told) => told.length > 0)
    .done;
  expect(full).toMatchObject([{ subject: `task/${one}` }]);
});

test('a stream ends when the token it was opened with is revoked', async () => {
  const body = { role: 'viewer', name: 'reader' };
  const { secret } = (await rig.ask('/api/v1/tokens', { method: 'POST', body })).json;
  const headers = { authorization: `Bearer ${secret}` };
  const { open, done } = listen('/api/v1/events?kind=never', headers, () => false);
  await open;
  await rig.ask('/api/v1/tokens/reader/revoke', { method: 'POST', body: {} });
  expect(await done).toEqual([]);
});
