import { expect, test } from 'vitest';
import { withoutSecrets } from './postgres-url.ts';

test.each([
  ['postgres://me:pw@db.example:5433/app', 'postgres://db.example:5433/app'],
  ['postgresql://db/app?sslmode=require', 'postgresql://db/app?sslmode=require'],
  ['postgres://db/app?user=me&password=pw', 'postgres://db/app'],
  ['postgres://me:p@w@db/app', 'postgres://db/app'],
])('%s is shown as %s', (url, shown) => expect(withoutSecrets(url)).toBe(shown));

test('what is no address is not shown at all', () =>
  expect(withoutSecrets('postgres://me:pw@db:port/x')).toBe('postgres://…'));
