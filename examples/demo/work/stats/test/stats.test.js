import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../src/store/store.js';
import { serve } from '../support/serve.js';

test('the statistics of a link show its visits', async (t) => {
  const store = openStore(':memory:');
  store.save('abc1234', 'https://example.org/');
  store.countVisit('abc1234');
  const answer = await fetch(`${await serve(t, { store })}/links/abc1234/stats`);
  assert.deepEqual(await answer.json(), { code: 'abc1234', url: 'https://example.org/', hits: 1 });
});
