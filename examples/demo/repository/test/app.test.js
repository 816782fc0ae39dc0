import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../support/serve.js';

test('the service says what it is', async (t) => {
  const answer = await fetch(`${await serve(t)}/`);
  assert.deepEqual(await answer.json(), { service: 'links' });
});

test('what nothing answers is 404, as JSON', async (t) => {
  const answer = await fetch(`${await serve(t)}/no/such/thing`);
  assert.equal(answer.status, 404);
  assert.match((await answer.json()).error, /nothing answers/);
});
