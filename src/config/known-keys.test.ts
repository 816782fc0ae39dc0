import { expect, test } from 'vitest';
import { DEFAULTS } from './defaults.ts';
import { knownKeys } from './known-keys.ts';

const CONFIG = {
  notify: { me: { sink: 'webhook' }, odd: { sink: 'mail' } },
  agents: { mine: {} },
  repos: { main: { gates: [{}] } },
};
const keysAt = (path: string): readonly string[] =>
  knownKeys(path === '' ? [] : path.split('.'), CONFIG);

test('the sections are those of the contract', () =>
  expect(keysAt('')).toEqual([
    'workspace',
    'notify',
    'budget',
    'model',
    'agents',
    'repos',
    'github',
    'retention',
    'ship',
  ]));

test.each(['workspace', 'budget', 'model', 'github', 'retention', 'ship'] as const)(
  'every key of [%s] has a default to explain, and no other has',
  (section) => expect(keysAt(section)).toEqual(Object.keys(DEFAULTS[section])),
);

test('agents, repositories and gates have defaults for all that is not required', () => {
  expect(keysAt('agents.mine').toSorted()).toEqual(Object.keys(DEFAULTS.agent).toSorted());
  expect(keysAt('repos.main').toSorted()).toEqual(
    ['path', 'url', 'prefix', 'review', 'gates', ...Object.keys(DEFAULTS.repo)].toSorted(),
  );
  expect(keysAt('repos.main.gates.0').toSorted()).toEqual(
    ['name', 'run', ...Object.keys(DEFAULTS.gate)].toSorted(),
  );
});

test('the keys of a sink depend on its kind', () => {
  expect(keysAt('notify.me')).toEqual(['sink', 'url', 'secret_env']);
  expect(keysAt('notify.odd')).toEqual([]);
});

test('a place that holds no table has no keys', () => {
  expect(keysAt('workspace.attempts')).toEqual([]);
  expect(keysAt('nowhere.at.all')).toEqual([]);
});
