import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { NO_OPTIONS } from '../convoy/convoy.ts';
import { addressees } from './addresses.ts';

const convoy = (
  owner: string | null,
  notify: readonly string[],
  watchers: readonly string[],
): Parameters<typeof addressees>[0] => ({ options: { ...NO_OPTIONS, owner, notify }, watchers });
const place = (name: string): string => (name.startsWith('hook') ? 'https://x.test' : name);
const itself = (name: string): string => name;

test('GT-178 owner, notify, watchers and the default are told once each, in that order', () => {
  const who = convoy('ada', ['team', 'ada'], ['bob', 'team']);
  expect(addressees(who, ['ops', 'bob'], itself)).toEqual(['ada', 'team', 'bob', 'ops']);
});

test('GT-178 what is not set gives no address', () => {
  expect(addressees(convoy(null, [], []), [], itself)).toEqual([]);
  expect(addressees(convoy('  ', [''], []), [], itself)).toEqual([]);
  expect(addressees(null, ['ops'], itself)).toEqual(['ops']);
});

test('two names that lead to one place are one reader, under the first name', () => {
  expect(addressees(convoy('ada', ['hook-a'], ['hook-b']), ['hook-c'], place)).toEqual([
    'ada',
    'hook-a',
  ]);
});

test('GT-178 no address is told twice and none is forgotten', () => {
  const name = fc.constantFrom('a', 'b', 'c', 'd', 'e');
  const names = fc.array(name);
  fc.assert(
    fc.property(fc.option(name), names, names, names, (owner, notify, watchers, byDefault) => {
      const found = addressees(convoy(owner, notify, watchers), byDefault, itself);
      const all = [...(owner === null ? [] : [owner]), ...notify, ...watchers, ...byDefault];
      expect(found.toSorted()).toEqual([...new Set(all)].toSorted());
    }),
  );
});
