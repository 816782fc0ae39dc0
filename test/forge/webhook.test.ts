import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { environment } from '../../src/config/environment.ts';
import { startDaemon } from '../../src/daemon/serve.ts';
import { deliver, pullRequestEvent } from '../fakes/github/webhook.ts';
import { type Rig, startRig } from '../identity/rig.ts';
import { forgeRig } from './engine-rig.ts';

const SECRET = 'a secret that only GitHub and we know';
const EVENT = pullRequestEvent('acme/shop', 1, 'closed');

async function listening(config = '[github]\nwebhook_secret_env = "HOOK_SECRET"\n'): Promise<Rig> {
  const rig = await startRig({ HOOK_SECRET: SECRET });
  onTestFinished(() => rig.stop());
  writeFileSync(join(rig.root, '.convoy/config.toml'), config);
  return rig;
}

const codeOf = async (response: Response): Promise<string> =>
  /"code":"(\w+)"/.exec(await response.text())?.[1] ?? '';

const at = ({ url }: { readonly url: string }): string => `${url}/api/v1/webhooks/github`;

test('a signed delivery is taken and changes nothing by itself', async () => {
  const rig = await listening();
  const before = await rig.ask('/api/v1/events');
  const taken = await deliver(at(rig), SECRET, 'pull_request', EVENT);
  expect([taken.status, await taken.json()]).toEqual([
    202,
    { schema: 'convoy.v1', accepted: true },
  ]);
  expect((await deliver(at(rig), SECRET, 'ping', { zen: 'x' })).status).toBe(202);
  expect((await rig.ask('/api/v1/events')).json).toEqual(before.json);
});

test('a delivery without a good signature is refused', async () => {
  const rig = await listening();
  const codes: string[] = [];
  const tried = async (answer: Promise<Response>): Promise<void> => {
    const response = await answer;
    codes.push(`${response.status} ${await codeOf(response)}`);
  };
  await tried(deliver(at(rig), 'another secret', 'pull_request', EVENT));
  await tried(
    deliver(at(rig), SECRET, 'pull_request', EVENT, (headers) => ({
      ...headers,
      'x-hub-signature-256': '',
    })),
  );
  await tried(
    deliver(at(rig), SECRET, 'pull_request', EVENT, (headers) => ({
      ...headers,
      'x-hub-signature-256': `${headers['x-hub-signature-256']}0`,
    })),
  );
  // The operator's token is no signature.
  await tried(
    fetch(at(rig), {
      method: 'POST',
      headers: { authorization: `Bearer ${rig.operator}` },
      body: '{}',
    }),
  );
  expect(codes).toEqual(['401 wrong_signature', '401 unsigned', '401 unsigned', '401 unsigned']);
  expect(rig.refusals().map(({ code }) => code)).toContain('wrong_signature');
});

test('who fails too often has to wait', async () => {
  const rig = await listening();
  const statuses: number[] = [];
  for (let times = 0; times < 25; times++)
    statuses.push((await deliver(at(rig), 'wrong', 'pull_request', EVENT)).status);
  expect(statuses[0]).toBe(401);
  expect(statuses.at(-1)).toBe(429);
});

test('without a secret nothing is taken', async () => {
  const rig = await listening('');
  const refused = await deliver(at(rig), SECRET, 'pull_request', EVENT);
  expect([refused.status, await codeOf(refused)]).toEqual([403, 'webhooks_not_set_up']);
});

test('a delivery makes the engine look, and what it says is not believed', async () => {
  const rig = await forgeRig({ poll: '1h' });
  rig.config((config) =>
    Object.assign(config, { github: { poll: '1h', webhook_secret_env: 'HOOK_SECRET' } }),
  );
  const convoy = await rig.launch(await rig.task('one'));
  const settings = environment(rig.env);
  if (!settings.ok) throw new Error(settings.error.message);
  const daemon = await startDaemon(
    { root: rig.root, dir: rig.path('.convoy') },
    { ...rig.env, HOOK_SECRET: SECRET },
    settings.value,
    { version: 'test', port: 0, launcher: ['true'] },
  );
  if (!daemon.ok) throw new Error(daemon.error.message);
  const { number } = await rig.waiting(convoy);
  const looks = rig.asked(`GET /pulls/${number}`);
  // It claims a merge that did not happen.
  await deliver(
    at(daemon.value),
    SECRET,
    'pull_request',
    pullRequestEvent('acme/shop', number, 'closed'),
  );
  await vi.waitUntil(() => rig.asked(`GET /pulls/${number}`) > looks, {
    timeout: 45_000,
    interval: 50,
  });
  expect((await rig.settled(convoy, 'landing')).landings).toEqual([]);
  rig.hub.mergeByHand(number);
  await deliver(
    at(daemon.value),
    SECRET,
    'pull_request',
    pullRequestEvent('acme/shop', number, 'closed'),
  );
  await rig.settled(convoy, 'landed');
  await daemon.value.stop();
});
