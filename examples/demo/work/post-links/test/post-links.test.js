import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../src/store/store.js';
import { serve } from '../support/serve.js';

const post = async (t, body, store = openStore(':memory:')) =>
  await fetch(`${await serve(t, { store })}/links`, { method: 'POST', body });

test('a good address is saved and gets a code', async (t) => {
  const store = openStore(':memory:');
  const answer = await post(t, '{"url":"https://example.org/a"}', store);
  assert.equal(answer.status, 201);
  const { code } = await answer.json();
  assert.equal(store.find(code).url, 'https://example.org/a');
});

for (const body of ['{"url":"not an address"}', '{"url":"javascript:alert(1)"}', '{}', 'null', '{'])
  test(`${body} is refused with 400`, async (t) => {
    assert.equal((await post(t, body)).status, 400);
  });
