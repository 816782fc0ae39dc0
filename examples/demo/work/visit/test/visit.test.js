import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../src/store/store.js';
import { serve } from '../support/serve.js';

test('a code leads to its address, and the visit is counted', async (t) => {
  const store = openStore(':memory:');
  store.save('abc1234', 'https://example.org/');
  const answer = await fetch(`${await serve(t, { store })}/abc1234`, { redirect: 'manual' });
  assert.equal(answer.status, 302);
  assert.equal(answer.headers.get('location'), 'https://example.org/');
  assert.equal(store.find('abc1234').hits, 1);
});

test('an unknown code answers 404', async (t) => {
  const answer = await fetch(`${await serve(t, { store: openStore(':memory:') })}/zzzzzzz`);
  assert.equal(answer.status, 404);
});
