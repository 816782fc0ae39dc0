import assert from 'node:assert/strict';
import { test } from 'node:test';
import { serve } from '../support/serve.js';

test('each request is one line of JSON', { timeout: 5000 }, async (t) => {
  const logged = Promise.withResolvers();
  await fetch(`${await serve(t, { log: logged.resolve })}/no/such/thing`);
  const line = await logged.promise;
  assert.doesNotMatch(line, /\n/);
  const { method, path, status } = JSON.parse(line);
  assert.deepEqual([method, path, status], ['GET', '/no/such/thing', 404]);
});
