import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isInside, placeInside } from './inside.ts';

let place: string;
let tree: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'convoy-inside-'));
  tree = join(place, 'tree');
  mkdirSync(join(tree, 'src'), { recursive: true });
  mkdirSync(join(place, 'other', 'deep'), { recursive: true });
  mkdirSync(join(place, 'tree-twin'));
  writeFileSync(join(tree, 'src', 'a.ts'), '');
  symlinkSync(join(place, 'other', 'deep'), join(tree, 'out'));
  symlinkSync(join(place, 'other', 'new'), join(tree, 'dangling'));
  symlinkSync('src', join(tree, 'in'));
  symlinkSync('loop', join(tree, 'loop'));
  symlinkSync(tree, join(place, 'alias'));
});
afterAll(() => rmSync(place, { recursive: true }));

test.each([
  '.',
  'src/a.ts',
  'src/new/deeper/b.ts',
  './src/../src/a.ts',
  'in/a.ts',
  '.gitignore',
  'src/~/x',
])('%s is inside', (path) => {
  expect(isInside(tree, path)).toBe(true);
  expect(isInside(tree, join(tree, path))).toBe(true);
});

test.each([
  '',
  '..',
  '../tree-twin/x',
  'src/../../other/x',
  'out/x',
  'out/../x',
  'dangling',
  'dangling/x',
  'loop/x',
  'src/a.ts/below',
  '.git',
  '.git/config',
  '~/x',
  '/etc/passwd',
  'file:///etc/passwd',
  'file://%zz',
  'a\0b',
])('%j is not', (path) => expect(isInside(tree, path)).toBe(false));

test('other names of the same place are the same place', () => {
  expect(isInside(tree, join(place, 'alias', 'src', 'a.ts'))).toBe(true);
  expect(isInside(join(place, 'alias'), join(tree, 'src', 'a.ts'))).toBe(true);
  const address = pathToFileURL(join(tree, 'src')).href;
  expect(placeInside(tree, address)).toBe(join(tree, 'src'));
});
