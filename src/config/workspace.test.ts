import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { readSettings } from './read.ts';
import { starterConfig } from './starter.ts';
import { findWorkspace } from './workspace.ts';

let home = '';
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'convoy-workspace-'));
  mkdirSync(join(home, 'shop', '.convoy'), { recursive: true });
  mkdirSync(join(home, 'shop', 'src', 'deep'), { recursive: true });
  mkdirSync(join(home, 'other'));
});
afterEach(() => rmSync(home, { recursive: true }));

const shop = () => ({
  ok: true,
  value: { root: join(home, 'shop'), dir: join(home, 'shop', '.convoy') },
});

test('the workspace is found from its own directory and from below', () => {
  expect(findWorkspace(join(home, 'shop'))).toEqual(shop());
  expect(findWorkspace(join(home, 'shop', 'src', 'deep'))).toEqual(shop());
});

test('a file named .convoy is no workspace', () => {
  writeFileSync(join(home, 'shop', 'src', '.convoy'), '');
  expect(findWorkspace(join(home, 'shop', 'src'))).toEqual(shop());
});

test('inside the .convoy itself its own workspace is meant', () =>
  expect(findWorkspace(join(home, 'shop', '.convoy'))).toEqual(shop()));

test('a directory that does not exist is not searched above, and says so', () =>
  expect(findWorkspace(join(home, 'shop', 'nowhere'))).toMatchObject({
    ok: false,
    error: {
      code: 'no_workspace',
      message: `${join(home, 'shop', 'nowhere')} is not a directory.`,
    },
  }));

test('no workspace anywhere is told with the remedy', () =>
  expect(findWorkspace(join(home, 'other'))).toEqual({
    ok: false,
    error: {
      code: 'no_workspace',
      message: `There is no workspace in ${join(home, 'other')} or any directory above it.`,
      remedy: 'convoy init',
    },
  }));

const REPO = { name: 'main', path: '.', prefix: 'web', target: 'trunk' };
const ORIGIN = { file: 'config.toml', root: '/w' };

test('the starter configuration is valid and says what it was told', () => {
  const read = readSettings(starterConfig(REPO), ORIGIN);
  expect(read).toMatchObject({
    ok: true,
    value: { repos: { main: { prefix: 'web', target: 'trunk', gates: [] } }, agents: {} },
  });
});

test('the hints of the starter configuration are valid too once uncommented', () => {
  const active = starterConfig(REPO).replaceAll(/^# (?=[a-z_]+ = |\[)/gm, '');
  expect(readSettings(active, ORIGIN)).toMatchObject({
    ok: true,
    value: {
      workspace: { notify: ['me'] },
      agents: { mine: { preset: 'claude' } },
      repos: { main: { agent: 'mine', gates: [{ name: 'test' }] } },
    },
  });
});

test('odd paths and names survive the starter configuration', () => {
  const odd = { ...REPO, name: 'my.repo', path: 'a "b"\\c' };
  expect(readSettings(starterConfig(odd), ORIGIN)).toMatchObject({
    ok: true,
    value: { repos: { 'my.repo': { source: { written: 'a "b"\\c' } } } },
  });
});
