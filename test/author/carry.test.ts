import { chmodSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { CarryPlan } from '../../src/ports/author.ts';
import { makeRig, value, type Rig } from '../git/rig.ts';
import { nodeLane, openAuthor, requestFor } from './rig.ts';
import { snapshotOf } from './snapshot.ts';

const LONG = Array.from({ length: 40 }, (_, at) => `line ${at}\n`).join('');
const APP = { 'app.js': 'listen()\n', 'package.json': '{}\n', '.gitignore': 'ignored/\n*.log\n' };

const carryOf = async (rig: Rig): Promise<CarryPlan> =>
  value(await (await openAuthor(rig)).carry());
const rows = (plan: CarryPlan) => plan.files.map(({ path, from, change }) => [path, from, change]);

test('when nothing is uncommitted, nothing is carried', async () => {
  const rig = makeRig();
  rig.commit('first', APP);
  rig.write('ignored/x.js', 'x');
  const author = await openAuthor(rig);
  const plan = value(await author.carry());
  expect(plan).toMatchObject({ files: [], withheld: [] });
  const request = await requestFor(author, [nodeLane()], { carry: { plan, subject: 'x' } });
  const done = value(await author.perform(request));
  expect(done).toMatchObject({ fixCommit: null, carried: [] });
  expect(rig.git('rev-list', '--count', `${request.base}..convoy/plan-1`)).toBe('1');
});

test('DC-33 every change is listed with its diff, whatever its name', async () => {
  const rig = makeRig();
  rig.commit('first', {
    ...APP,
    'old name.txt': LONG,
    'gone.js': 'gone\n',
    'größe.js': 'a\n',
    'run.sh': 'a\n',
  });
  rig.write('app.js', 'listen(3000)\n');
  renameSync(join(rig.repo, 'old name.txt'), join(rig.repo, 'neuer "Name".txt'));
  rmSync(join(rig.repo, 'gone.js'));
  rig.write('größe.js', 'b\n');
  rig.write('日本 語.js', 'neu\n');
  rig.write('a\nb.js', 'odd\n');
  rig.write('-x.js', 'dash\n');
  rig.write('*.js', 'star\n');
  chmodSync(join(rig.repo, 'run.sh'), 0o755);
  rig.write('build.log', 'ignored');
  const plan = await carryOf(rig);
  expect(plan.withheld).toEqual([]);
  expect(new Set(rows(plan).map((row) => JSON.stringify(row)))).toEqual(
    new Set(
      [
        ['app.js', null, 'modified'],
        ['neuer "Name".txt', 'old name.txt', 'renamed'],
        ['gone.js', null, 'deleted'],
        ['größe.js', null, 'modified'],
        ['日本 語.js', null, 'added'],
        ['a\nb.js', null, 'added'],
        ['-x.js', null, 'added'],
        ['*.js', null, 'added'],
        ['run.sh', null, 'modified'],
      ].map((row) => JSON.stringify(row)),
    ),
  );
  const app = plan.files.find(({ path }) => path === 'app.js');
  expect(app).toMatchObject({ added: 1, removed: 1, truncated: false });
  expect(app?.diff).toContain('-listen()\n+listen(3000)\n');
  // A name with a star means itself, not every file that it could stand for.
  expect(plan.files.find(({ path }) => path === '*.js')?.diff).not.toContain('listen');
});

test('the carried work is a commit of its own, and the tree under it is the working tree', async () => {
  const rig = makeRig();
  rig.commit('first', { ...APP, 'old name.txt': LONG });
  rig.write('app.js', 'listen(3000)\n');
  renameSync(join(rig.repo, 'old name.txt'), join(rig.repo, 'new name.txt'));
  rig.write('lib/größe.js', 'neu\n');
  const before = snapshotOf(rig);
  const author = await openAuthor(rig);
  const plan = value(await author.carry());
  const request = await requestFor(author, [nodeLane()], {
    carry: { plan, subject: 'Port was missing' },
  });
  const done = value(await author.perform(request));
  expect(rig.git('log', '--format=%s', `${request.base}..convoy/plan-1`).split('\n')).toEqual([
    "deploy: add Convoy's files for the lane api",
    'fix: Port was missing',
  ]);
  expect(done.carried.toSorted()).toEqual(['app.js', 'lib/größe.js', 'new name.txt']);
  expect(rig.git('rev-parse', `${done.fixCommit}^{tree}`)).toBe(plan.tree);
  const names = rig.git('ls-tree', '-r', '-z', '--name-only', String(done.fixCommit)).split('\0');
  expect(names.slice(0, -1)).toEqual([
    '.gitignore',
    'app.js',
    'lib/größe.js',
    'new name.txt',
    'package.json',
  ]);
  expect(`${rig.git('show', `${done.fixCommit}:new name.txt`)}\n`).toBe(LONG);
  expect(rig.git('show', 'convoy/plan-1:app.js')).toBe('listen(3000)');
  expect(snapshotOf(rig)).toEqual(before);
});

describe('secrets are never carried', () => {
  const KEY = ['ghp', 'a1B2c3D4e5'.repeat(4)].join('_');

  test('by name, by content, or as a copy under another name', async () => {
    const rig = makeRig();
    rig.commit('first', { ...APP, '.env.production': 'PASSWORD=correct horse\n' });
    rig.write('.env', 'A=1\n');
    rig.write('.env.convoy-secrets', 'B=2\n');
    rig.write('tls/server.pem', 'x\n');
    rig.write('config.js', `const token = '${KEY}'\n`);
    renameSync(join(rig.repo, '.env.production'), join(rig.repo, 'settings.txt'));
    rig.write('app.js', 'fixed()\n');
    rig.write('.env.example', 'A=\n');
    const plan = await carryOf(rig);
    expect(rows(plan)).toEqual([
      ['.env.example', null, 'added'],
      ['app.js', null, 'modified'],
    ]);
    expect(plan.withheld).toEqual([
      { path: '.env', reason: 'secret-name' },
      { path: '.env.convoy-secrets', reason: 'secret-name' },
      { path: '.env.production', reason: 'secret-name' },
      { path: 'config.js', reason: 'secret-content' },
      { path: 'settings.txt', reason: 'copy-of-a-secret' },
      { path: 'tls/server.pem', reason: 'secret-name' },
    ]);
    expect(JSON.stringify(plan)).not.toContain(KEY);
  });

  test('nor do their bytes reach the object store', async () => {
    const rig = makeRig();
    rig.commit('first', APP);
    rig.write('config.js', `const token = '${KEY}'\n`);
    rig.write('app.js', 'fixed()\n');
    const blob = rig.git('hash-object', 'config.js');
    const author = await openAuthor(rig);
    const plan = value(await author.carry());
    expect(rig.git('count-objects')).toMatch(/^5 objects/);
    value(
      await author.perform(
        await requestFor(author, [nodeLane()], { carry: { plan, subject: 'x' } }),
      ),
    );
    expect(() => rig.git('cat-file', '-e', blob)).toThrow(/Command failed/);
    expect(rig.git('show', 'convoy/plan-1:app.js')).toBe('fixed()');
  });

  test('a token in a line that is shown but too plain to be sure of is blacked out', async () => {
    const rig = makeRig();
    rig.commit('first', APP);
    rig.write('app.js', 'connect("postgres://ada:lovelace1815@db/x")\n');
    const plan = await carryOf(rig);
    expect(plan.files[0]?.diff).toContain('[redacted]');
    expect(plan.files[0]?.diff).not.toContain('lovelace1815');
  });
});

describe('what is not a plain change', () => {
  test('a repository inside, Convoy’s own state and a staged ignored file', async () => {
    const rig = makeRig();
    rig.commit('first', APP);
    mkdirSync(join(rig.repo, 'vendor'));
    rig.gitIn(join(rig.repo, 'vendor'), 'init', '--quiet');
    writeFileSync(join(rig.repo, 'vendor/x'), 'x');
    rig.write('.convoy/ledger.db', 'x');
    rig.write('kept.log', 'wanted\n');
    rig.git('add', '--force', 'kept.log');
    const plan = await carryOf(rig);
    expect(rows(plan)).toEqual([['kept.log', null, 'added']]);
    expect(plan.withheld).toEqual([
      { path: '.convoy/ledger.db', reason: 'convoy-state' },
      { path: 'vendor/', reason: 'nested-repository' },
    ]);
  });

  test('installed packages nobody ignores are named once', async () => {
    const rig = makeRig();
    rig.commit('first', APP);
    rig.write('web/node_modules/a/index.js', 'a');
    rig.write('web/node_modules/b/index.js', 'b');
    rig.write('web/app.js', 'x');
    const plan = await carryOf(rig);
    expect(rows(plan)).toEqual([['web/app.js', null, 'added']]);
    expect(plan.withheld).toEqual([{ path: 'web/node_modules/', reason: 'installed-packages' }]);
  });

  test('more than anybody could look through', async () => {
    const rig = makeRig();
    rig.commit('first', APP);
    for (let at = 0; at < 1_001; at += 1) rig.write(`many/${at}`, 'x');
    expect(await (await openAuthor(rig)).carry()).toEqual({
      ok: false,
      error: { kind: 'too_many_changes', files: 1_001, most: 1_000 },
    });
  });

  test('a submodule that is not there is not deleted', async () => {
    const rig = makeRig();
    const commit = rig.commit('first', APP);
    rig.git('update-index', '--add', '--cacheinfo', `160000,${commit},lib/sub`);
    rig.git('commit', '--quiet', '-m', 'submodule');
    rig.write('app.js', 'x\n');
    const plan = await carryOf(rig);
    expect(rows(plan)).toEqual([['app.js', null, 'modified']]);
    expect(plan.withheld).toEqual([{ path: 'lib/sub', reason: 'submodule' }]);
  });

  test('files that a sparse checkout leaves out are not deleted', async () => {
    const rig = makeRig();
    rig.commit('first', { ...APP, 'docs/a.md': 'a\n', 'src/b.js': 'b\n' });
    rig.git('sparse-checkout', 'set', 'src');
    rig.write('src/b.js', 'c\n');
    const plan = await carryOf(rig);
    expect(rows(plan)).toEqual([['src/b.js', null, 'modified']]);
  });

  test('a file that became a directory', async () => {
    const rig = makeRig();
    rig.commit('first', { ...APP, lib: 'one\n' });
    rmSync(join(rig.repo, 'lib'));
    rig.write('lib/two.js', 'two\n');
    expect(rows(await carryOf(rig))).toEqual([
      ['lib', null, 'deleted'],
      ['lib/two.js', null, 'added'],
    ]);
  });

  test('a large text is shown in part, and said to be', async () => {
    const rig = makeRig();
    rig.commit('first', APP);
    rig.write('data.txt', 'some words of text\n'.repeat(5_000));
    const [file] = (await carryOf(rig)).files;
    expect(file).toMatchObject({ path: 'data.txt', added: 5_000, truncated: true });
    expect(file?.diff.length).toBeLessThanOrEqual(16 * 1024);
  });

  test('a binary file has no lines', async () => {
    const rig = makeRig();
    rig.commit('first', APP);
    rig.write('logo.bin', Buffer.from([0, 1, 2, 255]));
    expect((await carryOf(rig)).files).toMatchObject([
      { path: 'logo.bin', added: null, removed: null },
    ]);
  });

  test('before the first commit there is nothing to carry onto', async () => {
    const rig = makeRig();
    rig.write('app.js', 'x\n');
    expect(await (await openAuthor(rig)).carry()).toEqual({
      ok: false,
      error: { kind: 'no_commit' },
    });
  });
});

test.each([
  ['saved another version', (rig: Rig) => rig.write('app.js', 'listen(4000)\n')],
  ['added a file', (rig: Rig) => rig.write('more.js', 'more\n')],
  ['committed it', (rig: Rig) => rig.commit('meanwhile')],
])('work that was approved is not carried when the developer %s since', async (_, change) => {
  const rig = makeRig();
  rig.commit('first', APP);
  rig.write('app.js', 'listen(3000)\n');
  const author = await openAuthor(rig);
  const plan = value(await author.carry());
  const request = await requestFor(author, [nodeLane()], { carry: { plan, subject: 'x' } });
  change(rig);
  expect(await author.perform(request)).toMatchObject({ error: { kind: 'changed_since_shown' } });
  expect(rig.git('for-each-ref', 'refs/heads/convoy')).toBe('');
});

test('a hostile repository runs nothing of its own', async () => {
  const rig = makeRig();
  rig.commit('first', { ...APP, '.gitattributes': '* filter=evil diff=evil\n' });
  const mark = join(rig.root, 'ran');
  const script = join(rig.root, 'evil.sh');
  writeFileSync(script, `#!/bin/sh\ntouch ${mark}\ncat\n`, { mode: 0o755 });
  for (const key of [
    'filter.evil.clean',
    'filter.evil.smudge',
    'diff.evil.textconv',
    'core.fsmonitor',
  ])
    rig.git('config', key, script);
  mkdirSync(join(rig.repo, '.git/hooks'), { recursive: true });
  for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change'])
    writeFileSync(join(rig.repo, '.git/hooks', hook), `#!/bin/sh\ntouch ${mark}\n`, {
      mode: 0o755,
    });
  rmSync(mark, { force: true });
  rig.write('app.js', 'fixed()\n');
  const author = await openAuthor(rig);
  const plan = value(await author.carry());
  value(
    await author.perform(await requestFor(author, [nodeLane()], { carry: { plan, subject: 'x' } })),
  );
  expect(() => rmSync(mark)).toThrow(/ENOENT/);
});
