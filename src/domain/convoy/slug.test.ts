import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { convoyId, taskId } from '../work/ids.ts';
import { branchNames, slug } from './slug.ts';

test.each([
  ['KG-1', 'Add User Auth', 'add-user-auth'],
  ['KG-2', 'Fix: Bug #123 with special characters!!!', 'fix-bug-123-with-special-characters'],
  ['KG-4', 'Add User Authentication', 'add-user-authentication'],
  ['KG-6', '!!!', 'convoy'],
  ['KG-6', '日本語のタイトル', 'convoy'],
  ['KG-6', '', 'convoy'],
  ['KG-7', 'Çağrı für Ærø, straße', 'cagri-fur-aero-strasse'],
  ['KG-7', 'ÅNGSTRÖM İstanbul ﬁle', 'angstrom-istanbul-file'],
])('%s the title %j becomes %s', (_, title, expected) => {
  expect(slug(title)).toBe(expected);
});

test('KG-7 a cut at a hyphen leaves no hyphen behind', () => {
  const title = `${'a'.repeat(39)} and more`;
  expect(slug(title)).toBe('a'.repeat(39));
  expect(slug('b'.repeat(50))).toBe('b'.repeat(40));
});

test('any title gives a short plain slug', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), (title) => {
      expect(slug(title)).toMatch(/^[a-z0-9]+(?:-[a-z0-9]+)*$/);
      expect(slug(title).length).toBeLessThanOrEqual(40);
    }),
  );
});

test('KG-10 the branches of a convoy lie side by side', () => {
  const names = branchNames('add-auth', convoyId('cv-abc'));
  expect(names.head).toBe('convoy/add-auth/cv-abc/head');
  expect(names.task(taskId('app-x1.2.3'), 2)).toBe('convoy/add-auth/cv-abc/task/app-x1.2.3-2');
  expect(names.epic(taskId('app-x1.2'))).toBe('convoy/add-auth/cv-abc/epic/app-x1.2/head');
  expect(names.task(taskId('app-x1'), 1).startsWith(`${names.head}/`)).toBe(false);
});

/** The rules of `git check-ref-format` for one part between slashes. */
const isRefPart = (part: string): boolean =>
  part !== '' &&
  // oxlint-disable-next-line no-control-regex -- git refuses control characters
  !/[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|^[.-]|\.$|\.lock$/.test(part);

test('ids that look alike once escaped keep branches of their own', () => {
  const names = branchNames('s', convoyId('cv-1'));
  const ids = ['\u{12}3', '\u0123', '%12', '\u0012', 'a:b', 'a-b', 'a%3ab'].map(taskId);
  expect(new Set(ids.map((id) => names.epic(id))).size).toBe(ids.length);
});

test('KG-10 whatever an imported id holds, its branch is a valid ref', () => {
  const names = branchNames('s', convoyId('cv-1'));
  const text = fc.oneof(
    fc.string({ minLength: 1, unit: fc.constantFrom('.', '/', '-', 'a', '1', '%', '@', '{', ' ') }),
    fc.string({ minLength: 1 }).map((start) => `${start}.lock`),
    fc.string({ minLength: 1 }),
  );
  fc.assert(
    fc.property(text, text, (one, other) => {
      const parts = [names.epic(taskId(one)), names.task(taskId(one), 1)].flatMap((name) =>
        name.split('/'),
      );
      expect(parts.filter((part) => !isRefPart(part))).toEqual([]);
      expect(parts).toHaveLength(6 + 5);
      expect(names.epic(taskId(one)) === names.epic(taskId(other))).toBe(one === other);
    }),
  );
});
