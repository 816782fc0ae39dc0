import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { conflictResidue } from './conflict-residue.ts';
import { diffFiles } from './diff-files.ts';
import { diffParts } from './diff-parts.ts';

const DIFF = `diff --git a/src/a.ts b/src/a.ts
index 1111111..2222222 100644
--- a/src/a.ts
+++ b/src/a.ts
@@ -1,3 +1,4 @@
 one
-two
+zwei
+drei
 four
@@ -10,2 +11,3 @@ function x
 ten
+<<<<<<< HEAD
 eleven
diff --git a/old.ts b/old.ts
deleted file mode 100644
--- a/old.ts
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/x.png b/y.png
similarity index 100%
rename from x.png
rename to y.png
diff --git a/package-lock.json b/package-lock.json
--- a/package-lock.json
+++ b/package-lock.json
@@ -1 +1,2 @@
-a
+b
+c
`;

test('a diff is taken apart by files, with the lines of the new file', () => {
  const files = diffFiles(DIFF);
  expect(files.map(({ path }) => path)).toEqual([
    'src/a.ts',
    'old.ts',
    'y.png',
    'package-lock.json',
  ]);
  expect(files[0]?.added).toEqual([
    { line: 2, text: 'zwei' },
    { line: 3, text: 'drei' },
    { line: 12, text: '<<<<<<< HEAD' },
  ]);
  expect(files.map(({ removed }) => removed)).toEqual([1, 1, 0, 1]);
});

test('conflict markers that were added are found where they stand', () => {
  expect(conflictResidue(diffFiles(DIFF))).toEqual([
    { file: 'src/a.ts', line: 12, severity: 'error', text: 'A conflict marker was left here.' },
  ]);
  const talk = diffFiles(DIFF.replace('<<<<<<< HEAD', '// <<<<<<< is a marker'));
  expect(conflictResidue(talk)).toEqual([]);
});

test('a small diff is one part, with lockfiles told by their size', () => {
  const [part, ...more] = diffParts(diffFiles(DIFF), 100_000);
  expect(more).toEqual([]);
  expect(part).toContain('+zwei');
  expect(part).toContain('lockfile package-lock.json: 2 lines added, 1 removed');
});

test('every line is shown in some part, and no part is too large', () => {
  const line = fc.string({ maxLength: 200 }).map((text) => text.replace(/[\r\n]/g, ' '));
  const file = fc.tuple(fc.stringMatching(/^[a-z]{1,8}\.ts$/), fc.array(line, { maxLength: 40 }));
  fc.assert(
    fc.property(
      fc.array(file, { maxLength: 6 }),
      fc.integer({ min: 250, max: 2000 }),
      (all, most) => {
        const diff = all
          .map(
            ([path, lines]) =>
              `diff --git a/${path} b/${path}\n--- a/${path}\n+++ b/${path}\n@@ -0,0 +1,${lines.length} @@\n${lines.map((one) => `+${one}`).join('\n')}\n`,
          )
          .join('');
        const parts = diffParts(diffFiles(diff), most);
        expect(parts.every((part) => part.length <= most)).toBe(true);
        const shown = new Set(parts.flatMap((part) => part.split('\n')));
        expect(all.flatMap(([, lines]) => lines).every((one) => shown.has(`+${one}`))).toBe(true);
      },
    ),
  );
});
