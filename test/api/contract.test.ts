import { expect, test } from 'vitest';
import { allHandlers } from '../../src/api/all-handlers.ts';
import { allRoutes } from '../../src/contract/all-routes.ts';

test('every route has exactly one handler, and every handler is a route', async () => {
  const served = (await allHandlers()).map(({ route }) => route.id);
  expect(served.toSorted()).toEqual(allRoutes.map(({ id }) => id).toSorted());
  expect(new Set(served).size).toBe(served.length);
});

test('no two routes share a method and a path', () => {
  const addresses = allRoutes.map(
    ({ method, path }) => `${method} ${path.replaceAll(/\{\w+\}/g, '{}')}`,
  );
  expect(addresses.filter((address, at) => addresses.indexOf(address) !== at)).toEqual([]);
});

test('what changes something is written in a transaction, what looks is not', async () => {
  const wrong = (await allHandlers())
    .filter(({ kind, route }) => route.method === 'GET' && kind === 'write')
    .map(({ route }) => route.id);
  expect(wrong).toEqual([]);
});
