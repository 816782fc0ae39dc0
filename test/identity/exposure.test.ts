import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { exposureOf, namesOf } from '../../src/daemon/exposure.ts';
import { listen } from '../../src/daemon/listen.ts';
import { convoy, makeWorkspace, serve } from './rig.ts';

let root: string;
let env: Record<string, string>;
beforeAll(async () => {
  ({ root, env } = await makeWorkspace());
});
afterAll(() => rmSync(root, { recursive: true }));

const bind = { host: '0.0.0.0', tlsCert: null, tlsKey: null, insecure: false };
const web = { CONVOY_WEB_URL: 'https://convoy.example' };

test('beyond loopback it takes a name, encryption or a word that it need not be, and a token', async () => {
  const refusal = async (wish: typeof bind, over: Record<string, string>) => {
    const served = await serve(root, { ...env, ...over }, wish);
    if (served.ok) await served.value.stop();
    return served.ok ? 'served' : `${served.error.kind} ${served.error.code}`;
  };
  expect(await refusal(bind, {})).toBe('invalid host_unnamed');
  expect(await refusal(bind, web)).toBe('invalid tls_needed');
  expect(await refusal({ ...bind, insecure: true }, web)).toBe('invalid no_tokens');
  expect(await refusal({ ...bind, host: '127.0.0.1' }, {})).toBe('served');
  const place = { cwd: root, env };
  const up = await convoy(['up', '--host', '0.0.0.0', '--port', '0'], {
    ...place,
    env: { ...env, ...web },
  });
  expect([up.code, up.err]).toEqual([2, expect.stringContaining('--tls-cert')]);
  const half = await convoy(['up', '--host', '10.0.0.1', '--tls-cert', 'a.pem'], place);
  expect([half.code, half.err]).toEqual([2, expect.stringContaining('go together')]);
  expect(
    (await convoy(['token', 'create', '--role', 'viewer', '--name', 'wall'], place)).code,
  ).toBe(0);
  expect(await refusal({ ...bind, insecure: true }, web)).toBe('served');
});

test('with a certificate the outside address is encrypted, and programs here still get in', async () => {
  const [cert, key] = [join(root, 'cert.pem'), join(root, 'key.pem')];
  execFileSync(
    'openssl',
    [
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:prime256v1',
      '-nodes',
      '-keyout',
      key,
      '-out',
      cert,
      '-days',
      '1',
      '-subj',
      '/CN=convoy.example',
    ],
    { stdio: 'ignore' },
  );
  const served = await serve(root, env, { ...bind, host: '127.0.0.2', tlsCert: cert, tlsKey: key });
  // All of 127/8 is loopback, so this wish changes nothing; the next one is outside.
  expect(served.ok && served.value.url.startsWith('http://127.0.0.1:')).toBe(true);
  if (served.ok) await served.value.stop();
  const settings = { ...env, CONVOY_WEB_URL: 'https://convoy.example' };
  const outside = await serve(root, settings, { ...bind, tlsCert: cert, tlsKey: key });
  if (!outside.ok) throw new Error(outside.error.message);
  expect(outside.value.url).toBe('https://convoy.example');
  const listed = await convoy(['token', 'list', '--json'], { cwd: root, env });
  expect(JSON.parse(listed.out).tokens).toMatchObject([{ name: 'wall' }]);
  await outside.value.stop();
});

test('without a daemon there is nothing to open, and it says how to get one', async () => {
  const ran = await convoy(['open', '--json'], { cwd: root, env });
  const { error } = JSON.parse(ran.out);
  expect([ran.code, error.code, error.remedy]).toEqual([
    1,
    'no_dashboard',
    expect.stringContaining('convoy up'),
  ]);
});

test('only names that were configured are answered', () => {
  const tls = null;
  expect(namesOf(null, null)).toEqual([]);
  expect(namesOf(null, 'https://convoy.example:8443/x')).toEqual(['convoy.example']);
  expect(namesOf({ host: '0.0.0.0', tls }, 'https://c.example')).toEqual(['c.example']);
  expect(namesOf({ host: 'Box.LAN', tls }, null)).toEqual(['box.lan']);
  expect(namesOf({ host: 'fe80::1', tls }, null)).toEqual(['[fe80::1]']);
  const outside = exposureOf({ ...bind, host: 'box.lan', insecure: true }, null);
  expect(outside).toEqual({ ok: true, value: { host: 'box.lan', tls: null } });
});

const pem = (name: string): string => readFileSync(join(root, name), 'utf8');
const answer = (): Response => new Response('hello');

test('the outside sees the certificate, programs here see no encryption, both the same app', async () => {
  const tls = { cert: pem('cert.pem'), key: pem('key.pem') };
  const exposure = { host: '0.0.0.0', tls };
  const listening = await listen(answer, { port: 0, insists: true, exposure });
  if (!listening.ok) throw new Error(listening.error.message);
  const { url, outside, close } = listening.value;
  expect(await (await fetch(url)).text()).toBe('hello');
  expect(await certificateOf(outside?.replace('0.0.0.0', '127.0.0.1') ?? '')).toBe(
    'convoy.example',
  );
  const taken = { port: Number(new URL(url).port), insists: true, exposure: null };
  const second = await listen(answer, taken);
  expect(second).toMatchObject({ ok: false, error: { kind: 'conflict', code: 'port_taken' } });
  const other = await listen(answer, { ...taken, insists: false });
  expect(other.ok && other.value.url).not.toBe(url);
  if (other.ok) await other.value.close();
  await close();
});

function certificateOf(url: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname: host, port } = new URL(url);
    const socket = connect({ host, port: Number(port), rejectUnauthorized: false }, () => {
      resolve(String(socket.getPeerCertificate().subject.CN));
      socket.destroy();
    });
    socket.on('error', reject);
  });
}
