import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { readJson } from '../src/body.js';

const body = (text) => Readable.from([Buffer.from(text)]);

test('a body is read as JSON', async () => {
  assert.deepEqual(await readJson(body('{"a":1}')), { a: 1 });
});

test('a body that is too long is refused with 413', async () => {
  await assert.rejects(readJson(body(`"${'x'.repeat(10_000)}"`)), { status: 413 });
});
