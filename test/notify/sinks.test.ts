import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { commandNotifier } from '../../src/adapters/notifiers/command.ts';
import { slack } from '../../src/adapters/notifiers/slack.ts';
import { terminal } from '../../src/adapters/notifiers/terminal.ts';
import { webhook } from '../../src/adapters/notifiers/webhook.ts';
import type { Message } from '../../src/ports/notifier.ts';
import { LANDED, makeNotify, type NotifyRig } from './rig.ts';
import { webhookServer, type WebhookServer } from './webhook-server.ts';

const MESSAGE: Message = {
  id: 'cv-1-landed-0@me',
  kind: 'landed',
  at: Date.parse('2026-03-01T10:00:00Z'),
  title: 'Landed: Shop <!channel> & more',
  text: 'Merged:\n  web-1 Login',
  notifications: [
    {
      id: 'cv-1-landed-0',
      kind: 'landed',
      subject: 'convoy/cv-1',
      epoch: 0,
      at: Date.parse('2026-03-01T10:00:00Z'),
      title: 'Landed: Shop',
      text: 'Merged:\n  web-1 Login',
      facts: { counts: { merged: 1 } },
    },
  ],
};

const hookConfig = (url: string, more = ''): string =>
  `[workspace]\nnotify = ["hook"]\n[notify.hook]\nsink = "webhook"\nurl = "${url}"\n${more}`;

/** A convoy was launched and a webhook is to hear of it. */
async function hooked(
  more = '',
  env: Record<string, string> = {},
): Promise<{ rig: NotifyRig; server: WebhookServer }> {
  const server = await webhookServer();
  const rig = await makeNotify(hookConfig(server.url, more), env);
  await rig.convoy('cv-1');
  return { rig, server };
}

const deliveryIn = async (rig: NotifyRig): Promise<unknown> =>
  (await rig.entries())[0]?.deliveries[0];

test.each([
  ['a plain secret', 'sesame', Buffer.from('sesame')],
  ['a secret in the standard form', 'whsec_c2VzYW1l', Buffer.from('sesame')],
])('a webhook is signed with %s', async (_, secret, key) => {
  const { rig, server } = await hooked('secret_env = "HOOK_SECRET"\n', { HOOK_SECRET: secret });
  await rig.notify.pass();
  const [{ headers, body } = { headers: {}, body: '' }] = server.received;
  const time = headers['webhook-timestamp'];
  expect(headers['webhook-id']).toBe('cv-1-launched-0@hook');
  expect(time).toBe(String(Math.floor(rig.world.now() / 1000)));
  const digest = createHmac('sha256', key).update(`cv-1-launched-0@hook.${String(time)}.${body}`);
  expect(headers['webhook-signature']).toBe(`v1,${digest.digest('base64')}`);
  expect(JSON.parse(body)).toMatchObject({
    schema: 'convoy.v1',
    id: 'cv-1-launched-0@hook',
    kind: 'launched',
    subject: 'convoy/cv-1',
    epoch: 0,
    at: '2026-03-01T10:00:00.000Z',
    title: 'Launched: Convoy cv-1 (cv-1)',
  });
});

test('a webhook whose secret is missing is not sent unsigned', async () => {
  const { rig, server } = await hooked('secret_env = "HOOK_SECRET"\n');
  await rig.notify.pass();
  expect(server.received).toEqual([]);
  expect(await deliveryIn(rig)).toMatchObject({
    status: 'pending',
    error: 'HOOK_SECRET is not set',
  });
});

test('a webhook that answers 500 is asked again after the wait, with the same id, and then left alone', async () => {
  const { rig, server } = await hooked();
  server.answer(500);
  await rig.notify.pass();
  expect(await deliveryIn(rig)).toMatchObject({
    status: 'pending',
    tries: 1,
    error: 'HTTP 500',
    next_at: rig.world.now() + 5000,
  });
  rig.pass(4999);
  await rig.notify.pass();
  expect(server.received).toHaveLength(1);
  rig.pass(1);
  await rig.notify.pass();
  await rig.notify.pass();
  const seen = server.received.map(({ headers }) => headers['webhook-id']);
  expect(seen).toEqual(['cv-1-launched-0@hook', 'cv-1-launched-0@hook']);
  expect(await deliveryIn(rig)).toMatchObject({ status: 'delivered', tries: 2, error: null });
});

test('a webhook that always fails is a dead letter after ten tries', async () => {
  const { rig, server } = await hooked();
  server.answer(...Array.from({ length: 20 }, () => 503));
  for (let round = 0; round < 12; round++) {
    await rig.notify.pass();
    rig.pass(3_600_000);
  }
  expect(server.received).toHaveLength(10);
  expect(await deliveryIn(rig)).toMatchObject({ status: 'dead', tries: 10, error: 'HTTP 503' });
});

test.each([410, 302])('a webhook that answers %i is not asked again', async (status) => {
  const { rig, server } = await hooked();
  server.answer(status);
  await rig.notify.pass();
  rig.pass(3_600_000);
  await rig.notify.pass();
  expect(server.received).toHaveLength(1);
  expect(await deliveryIn(rig)).toMatchObject({ status: 'dead', error: `HTTP ${status}` });
});

/** Nobody listens there any more. */
async function deadAddress(): Promise<string> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return `http://127.0.0.1:${port}/`;
}

test('silence and a broken line leave a webhook unsure, and nobody at all is a plain failure', async () => {
  const server = await webhookServer();
  const hook = webhook({ url: server.url, secretEnv: null, env: {}, now: () => 0, timeoutMs: 200 });
  server.answer('never', 'hang up');
  expect(await hook.send(MESSAGE)).toEqual({ kind: 'unsure', reason: 'no answer within 0.2 s' });
  expect(await hook.send(MESSAGE)).toMatchObject({ kind: 'unsure' });
  const nobody = webhook({
    url: await deadAddress(),
    secretEnv: null,
    env: {},
    now: () => 0,
    timeoutMs: 2000,
  });
  expect(await nobody.send(MESSAGE)).toEqual({ kind: 'failed', reason: 'ECONNREFUSED' });
});

test('slack gets text in which nothing can be called or hidden', async () => {
  const server = await webhookServer();
  const sent = await slack({ url: server.url, timeoutMs: 2000 }).send(MESSAGE);
  expect(sent).toEqual({ kind: 'delivered' });
  expect(JSON.parse(server.received[0]?.body ?? '')).toEqual({
    text: '*Landed: Shop &lt;!channel&gt; &amp; more*\nMerged:\n  web-1 Login',
  });
});

test('a message that slack may have got is not sent again', async () => {
  const server = await webhookServer();
  server.answer('hang up');
  const rig = await makeNotify(
    `[workspace]\nnotify = ["team"]\n[notify.team]\nsink = "slack"\nurl = "${server.url}"\n`,
  );
  await rig.convoy('cv-1');
  await rig.notify.pass();
  rig.pass(3_600_000);
  await rig.notify.pass();
  expect(server.received).toHaveLength(1);
  expect(await deliveryIn(rig)).toMatchObject({ status: 'unconfirmed' });
});

const SCRIPT = `#!/bin/sh
cat > stdin.json
printf '%s|' "$@" > args
env | grep ^CONVOY > env
`;

test('a command gets the message as JSON, as environment and as its last word', async () => {
  const rig = await makeNotify(
    '[workspace]\nnotify = ["me"]\n[notify.me]\nsink = "command"\ncommand = ["./tell", "Convoy"]\n',
    { CONVOY_TOKEN: 'secret' },
  );
  writeFileSync(join(rig.dir, 'tell'), SCRIPT);
  chmodSync(join(rig.dir, 'tell'), 0o700);
  await rig.convoy('cv-1');
  await rig.notify.pass();
  const read = (file: string): string => readFileSync(join(rig.dir, file), 'utf8');
  expect(JSON.parse(read('stdin.json'))).toMatchObject({
    id: 'cv-1-launched-0@me',
    kind: 'launched',
    facts: { convoy: 'cv-1' },
  });
  expect(read('args')).toBe('Convoy|Launched: Convoy cv-1 (cv-1)|');
  expect(read('env').trim().split('\n').toSorted()).toEqual([
    'CONVOY_NOTIFICATION_AT=2026-03-01T10:00:00.000Z',
    'CONVOY_NOTIFICATION_ID=cv-1-launched-0@me',
    'CONVOY_NOTIFICATION_KIND=launched',
    'CONVOY_NOTIFICATION_SUBJECT=convoy/cv-1',
    'CONVOY_NOTIFICATION_TEXT=2 tasks to do.',
    'CONVOY_NOTIFICATION_TITLE=Launched: Convoy cv-1 (cv-1)',
  ]);
  expect(await rig.states()).toEqual(['cv-1-launched-0 me delivered']);
});

const run = (...argv: string[]): ReturnType<ReturnType<typeof commandNotifier>['send']> =>
  commandNotifier({
    argv,
    cwd: process.cwd(),
    env: { PATH: process.env['PATH'] },
    timeoutMs: 300,
  }).send(MESSAGE);

test('a command says how it went by its end', async () => {
  expect(await run('true')).toEqual({ kind: 'delivered' });
  expect(await run('sh', '-c', 'echo no display >&2; exit 3')).toEqual({
    kind: 'failed',
    reason: 'exit 3: no display',
  });
  expect(await run('sh', '-c', 'kill -9 $$')).toEqual({
    kind: 'unsure',
    reason: 'ended by SIGKILL',
  });
  expect(await run('sh', '-c', 'sleep 60 & wait')).toEqual({
    kind: 'unsure',
    reason: 'it did not end within 0.3 s',
  });
  expect(await run('no-such-program-here')).toMatchObject({ kind: 'failed' });
});

test('words in braces are filled in, once, and then nothing is added', async () => {
  expect(await run('sh', '-c', 'test "$1" = landed && test $# = 1', 'x', '{kind}')).toEqual({
    kind: 'delivered',
  });
});

test('what is written to a terminal cannot steer it', async () => {
  const rig = await makeNotify('');
  const said: string[] = [];
  const logFile = join(rig.dir, 'n.log');
  const sink = terminal({ logFile, say: (line) => said.push(line) });
  await sink.send({ ...MESSAGE, title: 'a\u001B[2Jb\u202Ec', text: 'd\re' });
  expect(said).toEqual(['2026-03-01T10:00:00.000Z a [2Jb c', '  d e']);
  expect(readFileSync(logFile, 'utf8')).toBe(`${said.join('\n')}\n`);
});

test('a file that cannot be written is a failure, and nothing is said', async () => {
  const said: string[] = [];
  const sink = terminal({ logFile: '/nowhere/at/all.log', say: (line) => said.push(line) });
  expect(await sink.send(MESSAGE)).toMatchObject({ kind: 'failed' });
  expect(said).toEqual([]);
  expect(existsSync('/nowhere')).toBe(false);
});

test('one slow or broken reader does not keep the others waiting', async () => {
  const server = await webhookServer();
  server.answer('never');
  const rig = await makeNotify(
    `${hookConfig(server.url)}[notify.screen]\nsink = "terminal"\n[notify.bad]\nsink = "command"\ncommand = ["false"]\n`,
  );
  await rig.convoy('cv-1', { notify: ['bad', 'screen'] });
  await rig.happen('cv-1', LANDED);
  await rig.notify.pass();
  expect(await rig.states()).toEqual([
    'cv-1-landed-0 bad pending',
    'cv-1-landed-0 hook pending',
    'cv-1-landed-0 screen delivered',
    'cv-1-launched-0 bad pending',
    'cv-1-launched-0 hook pending',
    'cv-1-launched-0 screen delivered',
  ]);
});
