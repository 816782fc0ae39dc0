import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../src/store/store.js';
import { serve } from '../support/serve.js';

test('health is 200 while the store answers and 503 when it does not', async (t) => {
  const store = openStore(':memory:');
  const url = `${await serve(t, { store })}/health`;
  assert.equal((await fetch(url)).status, 200);
  store.close();
  assert.equal((await fetch(url)).status, 503);
});
