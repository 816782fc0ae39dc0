import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { REDACTED, redact, redactor } from './redact.ts';

const AWS = ['AKIA', 'IOSFODNN7EXAMPLE'].join('');
const GITHUB = ['ghp_', 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'].join('');
const JWT = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0In0', 'abcDEF123_-xyz'].join('.');
const PEM = `-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nIBAAKC\n-----END RSA PRIVATE KEY-----`;

test.each([
  ['an AWS key', `key ${AWS} used`, AWS],
  ['a GitHub token', `remote https://${GITHUB}@github.com`, GITHUB],
  ['a JWT', `auth ${JWT}`, JWT],
  ['a bearer header', 'Authorization: Bearer abcdef0123456789', 'abcdef0123456789'],
  ['a password in an address', 'postgres://app:s3cr3t-pw@db:5432/app', 's3cr3t-pw'],
  ['an address without a user', 'redis://:only-a-pass@cache:6379', 'only-a-pass'],
  ['an assignment', 'STRIPE_SECRET_KEY=whatever123', 'whatever123'],
  ['a quoted assignment', 'const apiKey = "zz-top-99"', 'zz-top-99'],
  ['a JSON field', '{"client_secret": "tea-for-two"}', 'tea-for-two'],
  ['an escaped JSON field', '{\\"password\\":\\"tea-for-two\\"}', 'tea-for-two'],
  ['a YAML field', 'db_password: correct-horse', 'correct-horse'],
  ['a Ruby hash', 'password => "correct-horse"', 'correct-horse'],
  [
    'a provider key',
    ['using sk-ant', 'api03', 'AbCdEfGhIjKlMnOpQr'].join('-'),
    'AbCdEfGhIjKlMnOpQr',
  ],
])('%s is removed', (_name, text, secret) => {
  const clean = redact(text);
  expect(clean).not.toContain(secret);
  expect(clean).toContain(REDACTED);
});

test.each([
  'const token = process.env.TOKEN;',
  "password = os.environ['DB_PASSWORD']",
  'SECRET_KEY is required',
  'secret: string',
  'connect ECONNREFUSED 127.0.0.1:5432',
  'TypeError: Cannot read properties of undefined (reading "token")',
  'http://127.0.0.1:3000/healthz',
  'at handler (file:///srv/app/server.js:12:5)',
  'password authentication failed for user "shop"',
])('text without a secret stays as it is: %s', (text) => {
  expect(redact(text)).toBe(text);
});

test('a private key goes away whole, and the lines after it keep their numbers', () => {
  const clean = redact(`one\n${PEM}\nsix`);
  expect(clean).not.toContain('MIIEow');
  expect(clean.split('\n')[5]).toBe('six');
});

test('a known value is removed in every spelling in which it may be printed', () => {
  const value = 'p@ss "word"/ü';
  const printed = [value, JSON.stringify(value), encodeURIComponent(value), btoaUtf8(value)].join(
    '\n',
  );
  const clean = redact(printed, [value]);
  for (const part of ['p@ss', 'p%40ss', btoaUtf8(value)]) expect(clean).not.toContain(part);
});

test('a value too short to be a secret is left alone', () => {
  expect(redact('PORT 3000 true', ['3000', 'true'])).toBe('PORT 3000 true');
});

test('DC-27: a secret cut by the border of two chunks does not come out', () => {
  const stream = redactor(['hunter2-hunter2']);
  const out = stream.push('log hunter2-') + stream.push('hunter2 end') + stream.flush();
  expect(out).toBe(`log ${REDACTED} end`);
});

test('a stream that is cut anywhere gives the same text as the whole', () => {
  const piece = fc.constantFrom(
    'hello ',
    '\n',
    'multi\nline-secret',
    'known-value-1',
    `TOKEN=abcdefghij`,
    AWS,
    PEM,
    '-----BEGIN ',
    'TOKEN=',
    'a password: ',
    'postgres://u:pw-pw-pw@h/d ',
    'é😀',
  );
  const known = ['known-value-1', 'multi\nline-secret'];
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 12 }),
      fc.array(fc.nat(400), { maxLength: 8 }),
      (pieces, cuts) => {
        const whole = pieces.join('');
        const stream = redactor(known);
        let out = '';
        let at = 0;
        for (const cut of cuts.toSorted((a, b) => a - b)) {
          out += stream.push(whole.slice(at, cut));
          at = Math.max(at, Math.min(cut, whole.length));
        }
        out += stream.push(whole.slice(at)) + stream.flush();
        expect(out).toBe(redact(whole, known));
      },
    ),
  );
});

test('whatever surrounds it, a known value never comes out of a stream', () => {
  fc.assert(
    fc.property(fc.string(), fc.string(), fc.nat(30), (before, after, cut) => {
      const stream = redactor(['s3cr3t-known-value']);
      const text = `${before}s3cr3t-known-value${after}`;
      const out = stream.push(text.slice(0, cut)) + stream.push(text.slice(cut)) + stream.flush();
      expect(out).not.toContain('s3cr3t-known-value');
    }),
  );
});

test('a line without end is given out in time and still without its secret', () => {
  const stream = redactor(['s3cr3t-known-value']);
  const long = 'x'.repeat(100_000);
  const early = stream.push(`${long}s3cr3t-known`);
  expect(early.length).toBeGreaterThan(80_000);
  expect(early + stream.push(`-value${long}`) + stream.flush()).not.toContain('s3cr3t-known-value');
});

test('a private key that never ends does not fill the memory', () => {
  const stream = redactor();
  let out = stream.push('-----BEGIN PRIVATE KEY-----\n');
  for (let n = 0; n < 40; n++) out += stream.push(`${'Q'.repeat(9999)}\n`);
  out += stream.push('-----END PRIVATE KEY-----\nafter\n') + stream.flush();
  expect(out).not.toContain('QQQQ');
  expect(out).toContain('after');
});

function btoaUtf8(value: string): string {
  return btoa(String.fromCodePoint(...new TextEncoder().encode(value))).replace(/=+$/, '');
}
