import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import process from 'node:process';
import { test } from 'node:test';
import { stop } from '../src/stop.js';

test('a request that is under way is finished before the end', async () => {
  const under = Promise.withResolvers();
  const server = createServer((_, response) => under.resolve(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const answer = fetch(`http://127.0.0.1:${server.address().port}/`);
  const response = await under.promise;
  const ended = new Promise((resolve) => stop(server, resolve));
  response.end('done');
  assert.equal(await (await answer).text(), 'done');
  await ended;
});

test('SIGTERM ends the service with status 0', async () => {
  const env = { ...process.env, DATA_FILE: ':memory:', PORT: '0' };
  const child = spawn(process.execPath, ['src/main.js'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  child.kill('SIGTERM');
  assert.deepEqual(await once(child, 'exit'), [0, null]);
});
