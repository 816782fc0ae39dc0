import { expect, test } from 'vitest';
import { readSettings } from './read.ts';
import type { SettingsProblem } from '../ports/settings.ts';

function problem(text: string): SettingsProblem {
  const result = readSettings(text, { file: '.convoy/config.toml', root: '/srv/shop' });
  if (result.ok) throw new Error('It was accepted');
  return result.error;
}

test('all problems are told at once, in the order of the file', () => {
  const { message, problems, line } = problem(
    '[workspace]\nattempts = 0\ncolor = 1\nnotify = ["me"]\n[repos.main]\npath = "."\nprefix = "cv"\n',
  );
  expect(line).toBe(2);
  expect(problems?.map((one) => one.code)).toEqual([
    'config_invalid',
    'config_unknown_key',
    'config_invalid',
    'config_invalid',
  ]);
  expect(message.split('\n')).toEqual([
    '.convoy/config.toml:2: workspace.attempts: expected a whole number of at least 1, found 0',
    '.convoy/config.toml:3: workspace.color: unknown key',
    '.convoy/config.toml:4: workspace.notify: names "me", but there is no [notify.me]',
    '.convoy/config.toml:7: repos.main.prefix: "cv" is reserved; so are plan, run, ap, crew',
  ]);
});

test('dispatch = "coordinator" needs an agent that is there', () => {
  expect(problem('[workspace]\ndispatch = "coordinator"').message).toContain(
    'needs coordinator = "<agent>"',
  );
  expect(problem('[workspace]\ncoordinator = "boss"').message).toContain(
    'there is no [agents.boss]',
  );
});
