import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { environment } from './environment.ts';

const EMPTY = {
  dir: null,
  ledger: null,
  plansDir: null,
  port: 3737,
  webUrl: null,
  token: null,
  url: null,
  anthropic: { apiKey: null, baseUrl: null },
  openai: { apiKey: null, baseUrl: null },
  github: { token: null, apiUrl: null },
  noColor: false,
};

test('nothing set gives the defaults, and so do empty variables', () => {
  expect(environment({})).toEqual({ ok: true, value: EMPTY });
  const empty = { CONVOY_PORT: '', CONVOY_LEDGER: ' ', NO_COLOR: '', CONVOY_URL: '' };
  expect(environment(empty)).toEqual({ ok: true, value: EMPTY });
});

test('every variable is read', () =>
  expect(
    environment({
      CONVOY_DIR: '/w',
      CONVOY_LEDGER: '/w/l.db',
      CONVOY_PLANS_DIR: '/w/plans',
      CONVOY_PORT: '0',
      CONVOY_WEB_URL: 'https://convoy.test/base/',
      CONVOY_TOKEN: 't',
      CONVOY_URL: 'http://127.0.0.1:3737/',
      ANTHROPIC_API_KEY: 'a',
      ANTHROPIC_BASE_URL: 'http://a.test',
      OPENAI_API_KEY: 'o',
      OPENAI_BASE_URL: 'http://o.test/v1',
      GITHUB_TOKEN: 'g',
      GITHUB_API_URL: 'https://g.test/api/v3',
      NO_COLOR: '1',
    }),
  ).toEqual({
    ok: true,
    value: {
      dir: '/w',
      ledger: { kind: 'sqlite', path: '/w/l.db' },
      plansDir: '/w/plans',
      port: 0,
      webUrl: 'https://convoy.test/base',
      token: 't',
      url: 'http://127.0.0.1:3737',
      anthropic: { apiKey: 'a', baseUrl: 'http://a.test' },
      openai: { apiKey: 'o', baseUrl: 'http://o.test/v1' },
      github: { token: 'g', apiUrl: 'https://g.test/api/v3' },
      noColor: true,
    },
  }));

test.each(['postgres://u@h/db', 'postgresql://u@h/db'])('%s is a Postgres ledger', (url) =>
  expect(environment({ CONVOY_LEDGER: url })).toMatchObject({
    value: { ledger: { kind: 'postgres', url } },
  }),
);

test('CONVOY_STATE_PATH is another name for CONVOY_LEDGER', () => {
  const ledger = { kind: 'sqlite', path: 'x.db' };
  expect(environment({ CONVOY_STATE_PATH: 'x.db' })).toMatchObject({ value: { ledger } });
  expect(environment({ CONVOY_STATE_PATH: 'x.db', CONVOY_LEDGER: 'x.db' })).toMatchObject({
    value: { ledger },
  });
});

test.each([
  [
    { CONVOY_PORT: 'http' },
    'CONVOY_PORT: expected a port from 0 to 65535 (0: any free one), found "http"',
  ],
  [
    { CONVOY_PORT: '65536' },
    'CONVOY_PORT: expected a port from 0 to 65535 (0: any free one), found "65536"',
  ],
  [
    { CONVOY_PORT: '-1' },
    'CONVOY_PORT: expected a port from 0 to 65535 (0: any free one), found "-1"',
  ],
  [
    { CONVOY_URL: 'localhost:3737' },
    'CONVOY_URL: expected an http:// or https:// address, found "localhost:3737"',
  ],
  [
    { GITHUB_API_URL: 'nonsense' },
    'GITHUB_API_URL: expected an http:// or https:// address, found "nonsense"',
  ],
  [
    { CONVOY_LEDGER: 'a.db', CONVOY_STATE_PATH: 'b.db' },
    'CONVOY_STATE_PATH: names another ledger than CONVOY_LEDGER; set only one of them',
  ],
])('%j is refused', (env, message) =>
  expect(environment(env)).toMatchObject({
    ok: false,
    error: { code: 'environment_invalid', message },
  }),
);

test('.env.example lists every variable once, each with an explanation above it', () => {
  const lines = readFileSync('.env.example', 'utf8').split('\n');
  const source = readFileSync('src/config/environment.ts', 'utf8');
  const read = new Set(source.match(/(?<=')(?:CONVOY|ANTHROPIC|OPENAI|GITHUB|NO)_[A-Z_]+(?=')/g));
  const listed = lines.filter((line) => line.endsWith('='));
  expect(listed.map((line) => line.slice(0, -1)).toSorted()).toEqual([...read].toSorted());
  for (const line of listed) expect(lines[lines.indexOf(line) - 1]).toMatch(/^# .+\.$/);
});
