import { afterAll, beforeAll, expect, test } from 'vitest';
import { allRoutes } from '../../src/contract/all-routes.ts';
import { mintAttemptToken, revokeAttemptTokens } from '../../src/daemon/attempt-tokens.ts';
import { attemptId, taskId } from '../../src/domain/work/ids.ts';
import { ok } from '../../src/lib/result.ts';
import { type Rig, startRig } from './rig.ts';

let rig: Rig;
const secrets: Record<string, string> = {};
let tasks: string[] = [];

beforeAll(async () => {
  rig = await startRig();
  const make = async (title: string): Promise<string> =>
    (await rig.ask('/api/v1/tasks', { method: 'POST', body: { title } })).json.task.id;
  tasks = [await make('Mine'), await make('Theirs')];
  const [mine = ''] = tasks;
  for (const body of [
    { role: 'viewer', name: 'wall' },
    { role: 'approver', name: 'bo' },
    { role: 'operator', name: 'ci' },
    { role: 'manager', subject: 'crew:c1' },
    { role: 'worker', subject: 'attempt:a1', task: mine },
    { role: 'reviewer', subject: `task:${mine}` },
    { role: 'runner', subject: 'host:builder' },
  ]) {
    const made = await rig.ask('/api/v1/tokens', { method: 'POST', body });
    secrets[body.role] = made.json.secret;
  }
});
afterAll(() => rig.stop());

const as = (role: string, path: string, method = 'GET', body?: unknown) =>
  rig.ask(path, { token: secrets[role] ?? null, method, body });

test('DC-67 without a token, and with a wrong one, nothing but health is answered', async () => {
  expect(await rig.ask('/api/v1/tasks', { token: null })).toMatchObject({
    status: 401,
    headers: { 'content-type': 'application/problem+json' },
    json: { code: 'no_token', status: 401, type: 'urn:convoy:problem:no_token' },
  });
  const wrong = await rig.ask('/api/v1/tasks', { token: `${rig.operator}x` });
  expect(wrong).toMatchObject({ status: 401, json: { code: 'token_unknown' } });
  const odd = await rig.ask('/api/v1/tasks', {
    token: null,
    headers: { authorization: `Basic ${rig.operator}` },
  });
  expect(odd.status).toBe(401);
  expect((await rig.ask('/api/v1/health', { token: null })).status).toBe(200);
  expect(rig.refusals()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({
        status: 401,
        code: 'no_token',
        actor: null,
        path: '/api/v1/tasks',
      }),
      expect.objectContaining({ status: 401, code: 'token_unknown' }),
    ]),
  );
});

test('DC-67 a foreign Host or Origin is refused, also with a good token (rebinding)', async () => {
  const hosts = ['evil.example', 'evil.example:3737', '127.0.0.1.evil.example'];
  for (const host of hosts) {
    const answer = await rig.ask('/api/v1/tasks', { headers: { host } });
    expect([host, answer.status, answer.json?.code]).toEqual([host, 403, 'foreign_host']);
  }
  const { host } = new URL(rig.url);
  const origins = ['https://evil.example', 'http://localhost:1', 'null', `http://${host}.evil`];
  for (const origin of origins) {
    const answer = await rig.ask('/api/v1/tasks', { headers: { origin } });
    expect([origin, answer.status, answer.json?.code]).toEqual([origin, 403, 'foreign_origin']);
  }
  const own = await rig.ask('/api/v1/tasks', { headers: { origin: rig.url } });
  expect(own.status).toBe(200);
  expect(rig.refusals().map(({ code }) => code)).toEqual(
    expect.arrayContaining(['foreign_host', 'foreign_origin']),
  );
});

test('every route is open to exactly the roles that it names', async () => {
  const wrong: string[] = [];
  for (const route of allRoutes) {
    const path = `/api/v1${route.path.replaceAll(/\{\w+\}/g, 'none')}`;
    for (const role of Object.keys(secrets)) {
      const named = [...route.roles] as string[];
      const inherits = role === 'approver' || role === 'manager' ? ['viewer'] : [];
      const may =
        role === 'operator' || ['anyone', role, ...inherits].some((each) => named.includes(each));
      // A body that no route accepts: whoever may ask gets no further than the form.
      const { status, json } = await as(role, path, route.method, { no_such_field: true });
      const turnedAway = status === 403 && json.code === 'role_not_allowed';
      if (turnedAway === may) wrong.push(`${role} ${route.id} ${status}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('a viewer reads and does not write, and the refusal is written down with its name', async () => {
  expect((await as('viewer', '/api/v1/tasks')).status).toBe(200);
  const write = await as('viewer', '/api/v1/tasks', 'POST', { title: 'No' });
  expect(write).toMatchObject({
    status: 403,
    json: { code: 'role_not_allowed', kind: 'forbidden' },
  });
  expect(rig.refusals().at(-1)).toMatchObject({ status: 403, actor: 'viewer:wall' });
});

test("a worker sees its own task, and of another's not even whether it is there", async () => {
  const [mine = '', theirs = ''] = tasks;
  expect((await as('worker', `/api/v1/tasks/${mine}`)).json.task.id).toBe(mine);
  for (const id of [theirs, 'web-nonexistent']) {
    const answer = await as('worker', `/api/v1/tasks/${id}`);
    expect(answer).toMatchObject({ status: 403, json: { code: 'not_your_task' } });
  }
  expect(rig.refusals().at(-1)).toMatchObject({ actor: 'worker:a1', code: 'not_your_task' });
});

test('KG-103 a worker cannot close a convoy, make a token or read the feed', async () => {
  for (const [method, path] of [
    ['POST', '/api/v1/convoys/cv-1/close'],
    ['POST', '/api/v1/tokens'],
    ['GET', '/api/v1/events'],
  ] as const)
    expect((await as('worker', path, method, {})).status).toBe(403);
  const stream = await rig.ask('/api/v1/events', {
    token: secrets['worker'] ?? '',
    headers: { accept: 'text/event-stream' },
  });
  expect(stream.status).toBe(403);
});

test('events carry the name of whoever caused them', async () => {
  await as('manager', '/api/v1/tasks', 'POST', { title: 'By the manager' });
  await as('operator', '/api/v1/tasks', 'POST', { title: 'By a machine' });
  const { events } = (await rig.ask('/api/v1/events?kind=task-created')).json;
  const actors = events.map(({ actor }: { actor: string }) => actor);
  expect(actors).toEqual(['operator:ana', 'operator:ana', 'manager:c1', 'operator:ci']);
});

test('the token of an attempt speaks for it about its task, until the attempt ends', async () => {
  const [mine = ''] = tasks;
  const attempt = attemptId('a77');
  const minted = await rig.ledger.write('engine', async (tx) =>
    ok(await mintAttemptToken(tx, attempt, taskId(mine))),
  );
  const token = minted.ok ? minted.value : '';
  const who = await rig.ask('/api/v1/session', { token });
  expect(who.json).toMatchObject({ actor: 'worker:a77', role: 'worker', task: mine });
  await rig.ledger.write('engine', async (tx) => ok(await revokeAttemptTokens(tx, attempt)));
  expect((await rig.ask('/api/v1/session', { token })).json.code).toBe('token_revoked');
});

test('an expired token and a revoked one are refused, each with its reason', async () => {
  const make = async (body: object) =>
    (await rig.ask('/api/v1/tokens', { method: 'POST', body: { role: 'viewer', ...body } })).json;
  const gone = await make({ name: 'gone' });
  const revoke = { method: 'POST', body: {} };
  expect((await rig.ask('/api/v1/tokens/gone/revoke', revoke)).json.revoked).toEqual([
    gone.token.id,
  ]);
  expect((await rig.ask('/api/v1/tasks', { token: gone.secret })).json.code).toBe('token_revoked');
  const old = await make({ name: 'old', expires_in_ms: 1000 });
  await rig.ledger.db
    .updateTable('token')
    .set({ state: JSON.stringify({ ...(await stored(old.token.id)), expiresAt: 1 }) })
    .where('id', '=', old.token.id)
    .execute();
  expect((await rig.ask('/api/v1/tasks', { token: old.secret })).json.code).toBe('token_expired');
});

async function stored(id: string): Promise<object> {
  const row = await rig.ledger.db
    .selectFrom('token')
    .select('state')
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  return JSON.parse(row.state);
}

test('a secret is shown once: not in lists, not again for an idempotency key', async () => {
  const body = { role: 'viewer', name: 'once' };
  const headers = { 'idempotency-key': 'k1' };
  const keyed = await rig.ask('/api/v1/tokens', { method: 'POST', body, headers });
  expect(keyed).toMatchObject({ status: 400, json: { code: 'idempotency_not_possible' } });
  const made = await rig.ask('/api/v1/tokens', { method: 'POST', body });
  const again = await rig.ask('/api/v1/tokens', { method: 'POST', body });
  expect(again).toMatchObject({ status: 409, json: { code: 'token_name_taken' } });
  const list = await rig.ask('/api/v1/tokens?all=true');
  expect(list.text).not.toContain(made.json.secret);
  expect(list.json.tokens).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'once', status: 'active' })]),
  );
});

test('every answer carries the headers that keep browsers in check, and none opens CORS', async () => {
  for (const path of ['/api/v1/tasks', '/reference', '/openapi.json', '/nothing']) {
    const { headers } = await rig.ask(path, { headers: { origin: rig.url } });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'x-frame-options': 'DENY',
    });
    expect(headers['content-security-policy']).toMatch(
      /default-src 'self'.*frame-ancestors 'none'/,
    );
    expect(Object.keys(headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
  }
  expect((await rig.ask('/api/v1/tasks')).headers['cache-control']).toBe('no-store');
  const preflight = await rig.ask('/api/v1/tasks', {
    method: 'OPTIONS',
    token: null,
    headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' },
  });
  expect(preflight.status).toBe(403);
});

test('an agent may not send more than it should, whatever length it announces', async () => {
  const title = 'x'.repeat(5 * 1024 * 1024);
  const body = { title };
  const said = await as('reviewer', '/api/v1/session', 'GET');
  expect(said.json).toMatchObject({ role: 'reviewer', task: tasks[0], by: 'bearer', csrf: null });
  const answer = await rig.ask('/api/v1/approvals/ap-1/approve', {
    method: 'POST',
    token: secrets['approver'] ?? '',
    body,
    headers: { 'transfer-encoding': 'chunked' },
  });
  expect(answer).toMatchObject({ status: 400, json: { code: 'too_large' } });
});
