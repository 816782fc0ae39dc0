import { expect, test } from 'vitest';
import { forClaude, forCodex, forGemini, forOpencode } from './mcp-offer.ts';

const server = { command: ['/n', '/c "x".js', 'mcp'], directory: '/papers' } as const;
const NO_ENV = {};

test.each([
  ['claude', forClaude],
  ['codex', forCodex],
  ['gemini', forGemini],
  ['opencode', forOpencode],
])('%s is told how to start the server, and no secret is written down', (_, offer) => {
  const offered = offer(server, { CONVOY_TOKEN: 'tok-secret' });
  const all = JSON.stringify(offered);
  expect(all).toContain('mcp');
  expect(all).not.toContain('tok-secret');
});

test('claude reads it from a file in the papers of the attempt, and nothing but that', () => {
  const { args, files } = forClaude(server, NO_ENV);
  expect(args).toEqual(['mcp__convoy', '--mcp-config', '/papers/mcp.json', '--strict-mcp-config']);
  expect(JSON.parse(files[0]?.content.toString() ?? '')).toEqual({
    mcpServers: {
      convoy: {
        command: '/n',
        args: ['/c "x".js', 'mcp'],
        // oxlint-disable-next-line no-template-curly-in-string -- the agent fills it in
        env: { CONVOY_URL: '${CONVOY_URL}', CONVOY_TOKEN: '${CONVOY_TOKEN}' },
        alwaysLoad: true,
      },
    },
  });
});

test('codex takes it as one setting, quoted', () => {
  expect(forCodex(server, NO_ENV).args[1]).toContain('args=["/c \\"x\\".js","mcp"]');
});

test('opencode keeps what its user has set, and is left alone where that cannot be read', () => {
  const given = JSON.stringify({ model: 'm', mcp: { mine: { type: 'local' } } });
  const { env } = forOpencode(server, { OPENCODE_CONFIG_CONTENT: given });
  expect(JSON.parse(env['OPENCODE_CONFIG_CONTENT'] ?? '')).toEqual({
    model: 'm',
    mcp: {
      mine: { type: 'local' },
      convoy: { type: 'local', command: server.command, enabled: true },
    },
  });
  for (const content of ['{', '[]', '3'])
    expect(forOpencode(server, { OPENCODE_CONFIG_CONTENT: content }).env).toEqual({});
});
