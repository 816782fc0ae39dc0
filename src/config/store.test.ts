import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openSettings } from './store.ts';

let root = '';
let file = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'convoy-settings-'));
  mkdirSync(join(root, '.convoy'));
  file = join(root, '.convoy', 'config.toml');
});
afterEach(() => rmSync(root, { recursive: true }));

const TEXT = `# mine
[workspace]
attempts = 2 # few

[repos.main]
path = "../code"
prefix = "web"
reviewer = "ann"

[[repos.main.gates]]
name = "test"
run = "make"

[agents.ann]
preset = "claude"
`;

test('GT-151 a missing file gives defaults without repositories', () => {
  const store = openSettings(file, {});
  expect(store.read()).toMatchObject({
    ok: true,
    value: { workspace: { attempts: 3 }, repos: {} },
  });
  expect(store.text()).toBe('');
});

test('a relative path starts at the directory that holds .convoy', () => {
  writeFileSync(file, TEXT);
  expect(openSettings(file, {}).read()).toMatchObject({
    value: {
      repos: { main: { source: { path: join(root, '..', 'code'), written: '../code' } } },
    },
  });
});

test('an unchanged file is read once, a changed one again', () => {
  writeFileSync(file, TEXT);
  const store = openSettings(file, {});
  const first = store.read();
  expect(store.read()).toBe(first);
  writeFileSync(`${file}.new`, TEXT.replace('attempts = 2', 'attempts = 7'));
  renameSync(`${file}.new`, file);
  expect(store.read()).toMatchObject({ value: { workspace: { attempts: 7 } } });
  rmSync(file);
  expect(store.read()).toMatchObject({ value: { workspace: { attempts: 3 } } });
});

test('edits are written with comments and mode kept, and no draft is left', () => {
  writeFileSync(file, TEXT);
  chmodSync(file, 0o640);
  const store = openSettings(file, {});
  const applied = store.apply([
    { op: 'set', path: ['workspace', 'attempts'], value: 5 },
    { op: 'remove', path: ['repos', 'main', 'reviewer'] },
  ]);
  expect(applied).toMatchObject({ ok: true, value: { workspace: { attempts: 5 } } });
  expect(store.read()).toEqual(applied);
  expect(readFileSync(file, 'utf8')).toBe(
    TEXT.replace('attempts = 2', 'attempts = 5').replace('reviewer = "ann"\n', ''),
  );
  expect(statSync(file).mode & 0o777).toBe(0o640);
  expect(readdirSync(join(root, '.convoy'))).toEqual(['config.toml']);
});

test('a first edit makes the file', () => {
  const store = openSettings(file, {});
  const repo = { path: '.', prefix: 'web' };
  expect(store.apply([{ op: 'set', path: ['repos', 'main'], value: repo }]).ok).toBe(true);
  expect(store.text()).toBe('[repos.main]\npath = "."\nprefix = "web"\n');
});

test('a linked file stays a link', () => {
  writeFileSync(join(root, 'real.toml'), TEXT);
  symlinkSync(join(root, 'real.toml'), file);
  openSettings(file, {}).apply([{ op: 'set', path: ['workspace', 'attempts'], value: 5 }]);
  expect(lstatSync(file).isSymbolicLink()).toBe(true);
  expect(readFileSync(join(root, 'real.toml'), 'utf8')).toContain('attempts = 5');
});

test('nothing is written when the result would be invalid', () => {
  writeFileSync(file, TEXT);
  const store = openSettings(file, {});
  const applied = store.apply([
    { op: 'set', path: ['workspace', 'attempts'], value: 5 },
    { op: 'remove', path: ['agents', 'ann'] },
  ]);
  expect(applied).toMatchObject({
    ok: false,
    error: {
      code: 'config_invalid',
      message:
        '.convoy/config.toml:8: repos.main.reviewer: names "ann", but there is no [agents.ann]',
    },
  });
  expect(readFileSync(file, 'utf8')).toBe(TEXT);
});

test('one refused edit refuses all', () => {
  writeFileSync(file, TEXT);
  const applied = openSettings(file, {}).apply([
    { op: 'set', path: ['workspace', 'attempts'], value: 5 },
    { op: 'set', path: ['workspace', 'attempts', 'deep'], value: 1 },
    { op: 'set', path: ['workspace', 'max_parallel'], value: 1 },
  ]);
  expect(applied).toMatchObject({ ok: false, error: { code: 'config_edit_refused' } });
  expect(readFileSync(file, 'utf8')).toBe(TEXT);
});

test('an edit may repair an invalid file', () => {
  writeFileSync(file, '[workspace]\nattempts = 0\n');
  const store = openSettings(file, {});
  expect(store.read().ok).toBe(false);
  expect(store.apply([{ op: 'set', path: ['workspace', 'attempts'], value: 1 }]).ok).toBe(true);
  expect(store.read().ok).toBe(true);
});

test('a directory in place of the file is told as a problem', () => {
  mkdirSync(file);
  expect(openSettings(file, {}).read()).toEqual({
    ok: false,
    error: {
      code: 'config_unreachable',
      message: `${file} cannot be read or written: EISDIR.`,
      remedy: `Check that ${file} is a file that you may read and write.`,
    },
  });
});

test('every value is explained with its place', () => {
  writeFileSync(file, TEXT);
  const env = { CONVOY_STATE_PATH: 'postgres://me:secret@db/x', GITHUB_TOKEN: 'secret' };
  const explained = openSettings(file, env).explain();
  const rows = explained.ok ? explained.value : [];
  const row = (key: string) => rows.find((one) => one.key === key);
  expect(row('workspace.attempts')).toEqual({
    key: 'workspace.attempts',
    value: 2,
    source: 'file',
    where: '.convoy/config.toml:3',
  });
  expect(row('workspace.max_parallel')).toEqual({
    key: 'workspace.max_parallel',
    value: 4,
    source: 'default',
    where: 'built in',
  });
  expect(row('repos.main.review')).toMatchObject({ value: 'agent', source: 'default' });
  expect(row('repos.main.gates.0.run')).toMatchObject({
    value: 'make',
    where: '.convoy/config.toml:12',
  });
  expect(row('repos.main.gates.0.timeout')).toMatchObject({ value: '10m', source: 'default' });
  expect(row('agents.ann.timeout')).toMatchObject({ value: '30m', source: 'default' });
  expect(row('ledger')).toEqual({
    key: 'ledger',
    value: 'postgres://me:(hidden)@db/x',
    source: 'environment',
    where: 'CONVOY_STATE_PATH',
  });
  expect(row('github.token')).toMatchObject({ value: '(set)', where: 'GITHUB_TOKEN' });
  expect(row('port')).toMatchObject({ value: 3737, source: 'default' });
  expect(JSON.stringify(rows.map(({ value }) => value))).not.toContain('secret');
});

test('an invalid file is not explained', () => {
  writeFileSync(file, 'x = 1');
  expect(openSettings(file, {}).explain()).toMatchObject({
    ok: false,
    error: { code: 'config_unknown_key' },
  });
});
