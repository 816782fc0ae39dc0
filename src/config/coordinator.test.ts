import { expect, test } from 'vitest';
import { readSettings } from './read.ts';

const said = (text: string): string => {
  const read = readSettings(text, { file: 'config.toml', root: '/srv/shop' });
  return read.ok ? 'accepted' : read.error.message;
};

test('dispatch = "coordinator" needs an agent that is there', () => {
  expect(said('[workspace]\ndispatch = "coordinator"')).toContain('needs coordinator = "<agent>"');
  expect(said('[workspace]\ncoordinator = "boss"')).toContain('there is no [agents.boss]');
  const boss = '[agents.boss]\ncommand = ["true"]';
  expect(said(`[workspace]\ndispatch = "coordinator"\ncoordinator = "boss"\n${boss}`)).toBe(
    'accepted',
  );
});
