import { afterAll, beforeAll, expect, test } from 'vitest';
import { ownPath } from '../../src/api/identity/login.ts';
import { type Answer, type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.stop());

const start = (token?: string, body: object = {}): Promise<Answer> =>
  rig.ask('/api/v1/session/login', {
    method: 'POST',
    body,
    ...(token === undefined ? {} : { token }),
  });

/** Follows the one-time address like a browser, and keeps the cookie. */
async function logIn(token?: string): Promise<{ cookie: string; csrf: string; answer: Answer }> {
  const { url } = (await start(token)).json;
  const answer = await rig.ask(new URL(url).pathname + new URL(url).search, { token: null });
  const cookie = String(answer.headers['set-cookie']).split(';')[0] ?? '';
  const { csrf } = (await rig.ask('/api/v1/session', { token: null, headers: { cookie } })).json;
  return { cookie, csrf, answer };
}

test('the one-time address gives a strict cookie, once, and leads to a clean address', async () => {
  const task = (await rig.ask('/api/v1/tasks', { method: 'POST', body: { title: 'See me' } })).json;
  const { url, expires_at: until } = (await start(undefined, { id: task.task.id })).json;
  expect(Date.parse(until) - Date.now()).toBeLessThanOrEqual(60_000);
  const path = url.slice(rig.url.length);
  const looked = await rig.ask(path, { token: null, method: 'HEAD' });
  expect(looked.headers['set-cookie']).toBeUndefined();
  const answer = await rig.ask(path, { token: null });
  expect(answer).toMatchObject({
    status: 303,
    headers: { location: `/tasks/${task.task.id}`, 'cache-control': 'no-store' },
  });
  expect(String(answer.headers['set-cookie'])).toMatch(
    /^convoy_\w+=cvy_[\w-]+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=86400$/,
  );
  const again = await rig.ask(path, { token: null });
  expect(again).toMatchObject({ status: 401, json: { code: 'login_spent' } });
  expect(again.headers['set-cookie']).toBeUndefined();
  expect(rig.refusals().at(-1)).toMatchObject({ code: 'login_spent', path: '/login' });
});

test('of two browsers that use one address at once, one gets in', async () => {
  const { url } = (await start()).json;
  const path = url.slice(rig.url.length);
  const both = await Promise.all([1, 2, 3].map(() => rig.ask(path, { token: null })));
  expect(both.map(({ status }) => String(status)).toSorted()).toEqual(['303', '401', '401']);
});

test('a code older than a minute is refused', async () => {
  const { url } = (await start()).json;
  const rows = await rig.ledger.db
    .selectFrom('token')
    .select(['id', 'state'])
    .where('use', '=', 'login')
    .where('revoked_at', 'is', null)
    .execute();
  for (const { id, state } of rows)
    await rig.ledger.db
      .updateTable('token')
      .set({ state: JSON.stringify({ ...JSON.parse(state), expiresAt: 1 }) })
      .where('id', '=', id)
      .execute();
  expect((await rig.ask(url.slice(rig.url.length), { token: null })).json.code).toBe('login_spent');
});

test('DC-67 with a cookie, writing takes our own page and the word of its session', async () => {
  const { cookie, csrf } = await logIn();
  const other = await logIn();
  const write = (headers: Record<string, string>): Promise<Answer> =>
    rig.ask('/api/v1/tasks', {
      method: 'POST',
      token: null,
      body: { title: 'From the page' },
      headers: { cookie, ...headers },
    });
  const own = { origin: rig.url, 'sec-fetch-site': 'same-origin' };
  const cases: [Record<string, string>, string][] = [
    [{ ...own }, 'csrf'],
    [{ ...own, 'x-convoy-csrf': 'guess' }, 'csrf'],
    [{ ...own, 'x-convoy-csrf': other.csrf }, 'csrf'],
    [{ 'x-convoy-csrf': csrf }, 'no_origin'],
    [{ 'sec-fetch-site': 'none', 'x-convoy-csrf': csrf }, 'no_origin'],
    [{ 'sec-fetch-site': 'cross-site', 'x-convoy-csrf': csrf }, 'foreign_origin'],
    [{ 'sec-fetch-site': 'same-site', 'x-convoy-csrf': csrf }, 'foreign_origin'],
    [{ origin: 'http://localhost:1', 'x-convoy-csrf': csrf }, 'foreign_origin'],
  ];
  for (const [headers, code] of cases)
    expect([headers, await write(headers)]).toMatchObject([
      headers,
      { status: 403, json: { code } },
    ]);
  expect((await write({ ...own, 'x-convoy-csrf': csrf })).status).toBe(200);
  const peek = await rig.ask('/api/v1/tasks', {
    token: null,
    headers: { cookie, 'sec-fetch-site': 'same-site' },
  });
  expect(peek.status).toBe(403);
});

test('a session is no more than the token it came from, and ends with it', async () => {
  const body = { role: 'viewer', name: 'wall' };
  const made = (await rig.ask('/api/v1/tokens', { method: 'POST', body })).json;
  const { cookie, csrf } = await logIn(made.secret);
  const asPage = { cookie, origin: rig.url, 'x-convoy-csrf': csrf };
  const who = await rig.ask('/api/v1/session', { token: null, headers: { cookie } });
  expect(who.json).toMatchObject({ actor: 'viewer:wall', role: 'viewer', by: 'session' });
  const write = { method: 'POST', token: null, headers: asPage, body: { title: 'No' } };
  expect((await rig.ask('/api/v1/tasks', write)).json.code).toBe('role_not_allowed');
  await rig.ask('/api/v1/tokens/wall/revoke', { method: 'POST', body: {} });
  const after = await rig.ask('/api/v1/session', { token: null, headers: { cookie } });
  expect(after).toMatchObject({ status: 401, json: { code: 'token_revoked' } });
});

test('logging out ends the session; a cookie is no bearer token and a code is neither', async () => {
  const { cookie, csrf } = await logIn();
  const secret = cookie.slice(cookie.indexOf('=') + 1);
  expect((await rig.ask('/api/v1/session', { token: secret })).json.code).toBe('token_unknown');
  const code = new URL((await start()).json.url).searchParams.get('code') ?? '';
  expect((await rig.ask('/api/v1/session', { token: code })).json.code).toBe('token_unknown');
  const headers = { cookie, origin: rig.url, 'x-convoy-csrf': csrf };
  const out = await rig.ask('/api/v1/session', { method: 'DELETE', token: null, headers });
  expect(out.json.ended).toBe(true);
  expect((await rig.ask('/api/v1/session', { token: null, headers })).status).toBe(401);
});

test('a bound role cannot open the dashboard', async () => {
  const body = { role: 'manager', subject: 'crew:c1' };
  const { secret } = (await rig.ask('/api/v1/tokens', { method: 'POST', body })).json;
  expect((await start(secret)).json.code).toBe('role_not_allowed');
});

test('a login leads nowhere but to a page of ours', () => {
  const strangers = [
    '//evil.example',
    '/\\evil.example',
    'https://evil.example',
    'evil',
    '/a\nb',
    '',
  ];
  expect(strangers.map(ownPath)).toEqual(strangers.map(() => '/'));
  expect(ownPath('/convoys/cv-1')).toBe('/convoys/cv-1');
});
