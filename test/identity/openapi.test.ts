import { afterAll, beforeAll, expect, test } from 'vitest';
import { allHandlers } from '../../src/api/all-handlers.ts';
import { allRoutes } from '../../src/contract/all-routes.ts';
import { type Rig, startRig } from './rig.ts';

let rig: Rig;
beforeAll(async () => {
  rig = await startRig();
});
afterAll(() => rig.stop());

type Operation = { operationId?: string; summary?: string; responses?: object };

test('the document is OpenAPI 3.1, names every route once, and its references resolve', async () => {
  const { json, status } = await rig.ask('/openapi.json', { token: null });
  expect([status, json.openapi]).toEqual([200, '3.1.0']);
  const operations = Object.entries<Record<string, Operation>>(json.paths).flatMap(
    ([path, methods]) =>
      Object.entries(methods).map(([method, each]) => ({ path, method, ...each })),
  );
  expect(operations.map(({ operationId }) => operationId ?? '').toSorted()).toEqual(
    allRoutes.map(({ id }) => id).toSorted(),
  );
  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length);
  for (const { path, parameters } of operations as { path: string; parameters?: unknown }[]) {
    const named = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const list = (parameters ?? []) as { in: string; name: string }[];
    const declared = list.filter((each) => each.in === 'path').map(({ name }) => name);
    expect([path, declared]).toEqual([path, named]);
  }
  const references = [...JSON.stringify(json).matchAll(/"\$ref":"#\/([^"]+)"/g)];
  for (const [, pointer = ''] of references)
    expect(pointer.split('/').reduce((found, key) => found?.[key], json)).toBeDefined();
});

test('every route of the contract has a handler and every handler a route', async () => {
  expect((await allHandlers()).map(({ route }) => route.id).toSorted()).toEqual(
    allRoutes.map(({ id }) => id).toSorted(),
  );
});

test('the reference page shows every route and asks nobody else for anything', async () => {
  const page = await rig.ask('/reference', { token: null });
  expect(page.headers['content-type']).toMatch(/^text\/html/);
  for (const { id } of allRoutes) expect(page.text).toContain(`id="${id}"`);
  const links = [...page.text.matchAll(/(?:href|src|action)="([^"]*)"/g)].map(([, link]) => link);
  expect(
    links.filter((link) => !/^(#[\w.]+|\/reference\.css|\/openapi\.json)$/.test(link ?? '')),
  ).toEqual([]);
  expect(page.text).not.toMatch(/<script|<style|style=|https?:\/\//);
  const style = await rig.ask('/reference.css', { token: null });
  expect([style.status, style.headers['content-type']]).toEqual([200, 'text/css; charset=utf-8']);
  expect(style.text).not.toMatch(/url\(|@import/);
});

test('what is wrong is told as problem+json with code, cause and remedy', async () => {
  const bad = await rig.ask('/api/v1/tasks', { method: 'POST', body: { titel: 'x' } });
  expect(bad.headers['content-type']).toBe('application/problem+json');
  expect(bad.json).toMatchObject({
    type: 'urn:convoy:problem:invalid_request',
    status: 400,
    kind: 'invalid',
    fields: expect.arrayContaining([expect.objectContaining({ path: 'title' })]),
  });
  expect((await rig.ask('/api/v1/tasks/none')).json).toMatchObject({
    status: 404,
    kind: 'not_found',
  });
  expect((await rig.ask('/api/v1/nothing')).json).toMatchObject({
    status: 404,
    code: 'no_such_route',
  });
});

test('tasks come in pages that leave nothing out and repeat nothing', async () => {
  const made: string[] = [];
  for (const title of ['a', 'b', 'c', 'd', 'e'])
    made.push((await rig.ask('/api/v1/tasks', { method: 'POST', body: { title } })).json.task.id);
  const seen: string[] = [];
  let next: string | null = '';
  while (next !== null) {
    const cursor: string = next === '' ? '' : `&cursor=${encodeURIComponent(next)}`;
    const page: { tasks: { id: string }[]; next: string | null } = (
      await rig.ask(`/api/v1/tasks?limit=2${cursor}`)
    ).json;
    expect(page.tasks.length).toBeLessThanOrEqual(2);
    seen.push(...page.tasks.map(({ id }) => id));
    next = page.next;
  }
  expect(seen.toSorted()).toEqual(made.toSorted());
});
