import { expect, test } from 'vitest';
import { installPlaces, upwards } from './install-places.ts';

const tree =
  (...files: string[]) =>
  (file: string): boolean =>
    files.includes(file);

test('DC-22 the lockfile decides, the outermost first', () => {
  expect(installPlaces('apps/api', 'node', tree('package-lock.json'))).toEqual(['.']);
  expect(installPlaces('apps/api', 'node', tree('apps/api/yarn.lock'))).toEqual(['apps/api']);
  expect(
    installPlaces('apps/api', 'node', tree('pnpm-lock.yaml', 'apps/api/package-lock.json')),
  ).toEqual(['.', 'apps/api']);
});

test('without a lockfile it is the nearest manifest, without one the lane', () => {
  const has = tree('package.json', 'apps/package.json');
  expect(installPlaces('apps/api', 'node', has)).toEqual(['apps']);
  expect(installPlaces('./apps/api/', 'node', tree())).toEqual(['apps/api']);
});

test('a lockfile of another ecosystem does not count', () => {
  const has = tree('package-lock.json', 'api/requirements.txt');
  expect(installPlaces('api', 'python', has)).toEqual(['api']);
});

test('the way up ends at the root', () => {
  expect(upwards('a/b/c')).toEqual(['a/b/c', 'a/b', 'a', '.']);
  expect(upwards('.')).toEqual(['.']);
});
