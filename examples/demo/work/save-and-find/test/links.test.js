import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openStore } from '../src/store/store.js';

test('a saved link is found by its code', () => {
  const store = openStore(':memory:');
  store.save('abc1234', 'https://example.org/');
  assert.deepEqual(store.find('abc1234'), {
    code: 'abc1234',
    url: 'https://example.org/',
    hits: 0,
  });
});

test('an unknown code gives nothing, not an error', () => {
  assert.equal(openStore(':memory:').find('nothing'), null);
});
