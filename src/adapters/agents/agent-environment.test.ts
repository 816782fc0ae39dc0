import { expect, test } from 'vitest';
import { agentEnvironment, foreignPath } from './agent-environment.ts';

const parts = {
  base: {
    PATH: '/opt/convoy/node_modules/.bin:/usr/bin:/bin',
    HOME: '/home/me',
    LANG: 'C.UTF-8',
    AWS_SECRET_ACCESS_KEY: 'no',
    NPM_TOKEN: 'npm',
    ANTHROPIC_API_KEY: 'key',
    CONVOY_LEDGER: 'postgres://secret',
    CONVOY_TOKEN: 'operator',
  },
  allow: [],
  own: [],
  fixed: {},
  convoy: { CONVOY_TOKEN: 'attempt' },
  convoyRoot: '/opt/convoy',
};

test('by default an agent sees the path, home, language and terminal and nothing else of ours', () => {
  expect(agentEnvironment(parts)).toEqual({
    PATH: '/usr/bin:/bin',
    HOME: '/home/me',
    LANG: 'C.UTF-8',
    CONVOY_TOKEN: 'attempt',
  });
});

test('what the repo allows and what the agent owns passes; names that are not set do not appear', () => {
  expect(
    agentEnvironment({ ...parts, allow: ['NPM_TOKEN', 'MISSING'], own: ['ANTHROPIC_API_KEY'] }),
  ).toMatchObject({ NPM_TOKEN: 'npm', ANTHROPIC_API_KEY: 'key' });
  expect(agentEnvironment({ ...parts, allow: ['MISSING'] })).not.toHaveProperty('MISSING');
});

test("nobody lets Convoy's own variables or tools through", () => {
  const env = agentEnvironment({
    ...parts,
    allow: ['CONVOY_LEDGER', 'CONVOY_TOKEN', 'PATH'],
    own: ['CONVOY_LEDGER'],
  });
  expect(env).not.toHaveProperty('CONVOY_LEDGER');
  expect(env['CONVOY_TOKEN']).toBe('attempt');
  expect(env['PATH']).toBe('/usr/bin:/bin');
});

test('the contract wins over what an adapter sets', () => {
  const env = agentEnvironment({ ...parts, fixed: { CONVOY_TOKEN: 'x', QUIET: '1' } });
  expect(env).toMatchObject({ CONVOY_TOKEN: 'attempt', QUIET: '1' });
});

test.each([
  ['/opt/convoy/node_modules/.bin:/usr/bin', '/usr/bin'],
  // npm adds the folders above as well
  ['/opt/node_modules/.bin:/node_modules/.bin:/usr/bin', '/usr/bin'],
  ['/opt/convoy/node_modules/.bin/:/usr/bin', '/usr/bin'],
  ['/usr/lib/node_modules/npm/lib/node-gyp-bin:/usr/bin', '/usr/bin'],
  // somebody else's tools stay, also where the name only begins alike
  ['/opt/convoy-app/node_modules/.bin:/usr/bin', '/opt/convoy-app/node_modules/.bin:/usr/bin'],
  ['/home/me/.local/bin::/usr/bin', '/home/me/.local/bin:/usr/bin'],
  ['', '/usr/local/bin:/usr/bin:/bin'],
  ['/opt/convoy/node_modules/.bin', '/usr/local/bin:/usr/bin:/bin'],
])('the path %j becomes %j', (path, expected) => {
  expect(foreignPath(path, '/opt/convoy')).toBe(expected);
});
