import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shortCode } from '../src/short-code.js';

test('a code is seven letters and digits', () => {
  assert.match(
    shortCode(() => false),
    /^[0-9a-z]{7}$/,
  );
});

test('a code that is taken is not given again', () => {
  let drawn = 0;
  const random = () => (drawn++ < 7 ? 0 : 1);
  assert.equal(
    shortCode((code) => code === '0000000', random),
    '1111111',
  );
});
