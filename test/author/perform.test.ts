import { existsSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { AuthorRequest } from '../../src/ports/author.ts';
import { makeRig, value, type Rig } from '../git/rig.ts';
import { GENERATED_AT, nodeLane, openAuthor, requestFor } from './rig.ts';
import { snapshotOf } from './snapshot.ts';

const BRANCH = 'convoy/plan-1';
const APP = { 'app.js': 'listen()\n', 'package.json': '{}\n', 'package-lock.json': '{}\n' };

const inBranch = (rig: Rig, path: string): string => rig.git('show', `${BRANCH}:${path}`);

test('DC-12 the shown files, to the byte, are what the branch adds', async () => {
  const rig = makeRig();
  const base = rig.commit('first', APP);
  const author = await openAuthor(rig);
  const request = await requestFor(author, [nodeLane()]);
  const done = value(await author.perform(request));
  expect(done).toMatchObject({ branch: BRANCH, fixCommit: null, carried: [] });
  expect(rig.git('rev-parse', BRANCH)).toBe(done.commit);
  expect(rig.git('rev-parse', `${BRANCH}^`)).toBe(base);
  const changed = rig.git('diff', '--name-only', base, BRANCH).split('\n');
  expect(changed.toSorted()).toEqual([...done.written].toSorted());
  for (const { path, content } of request.files) {
    expect(`${inBranch(rig, path)}\n`).toBe(content);
    expect(readFileSync(join(done.worktree, path), 'utf8')).toBe(content);
  }
  expect(inBranch(rig, 'Dockerfile')).toContain('npm ci');
  expect(rig.git('log', '-1', '--format=%s', BRANCH)).toBe(
    "deploy: add Convoy's files for the lane api",
  );
  expect(done.worktree.startsWith(rig.repo)).toBe(false);
  value(await author.release(done.owner));
});

test('DC-32 the checkout, index, stash and branches of the user stay byte for byte', async () => {
  const rig = makeRig();
  rig.commit('first', APP);
  rig.write('app.js', 'stashed()\n');
  rig.git('stash', 'push', '--quiet');
  rig.write('app.js', 'half done\n');
  rig.write('staged.js', 'staged\n');
  rig.git('add', 'staged.js');
  rig.write('note.txt', 'untracked\n');
  const author = await openAuthor(rig);
  const before = snapshotOf(rig);
  const request = await requestFor(author, [nodeLane()]);
  expect(snapshotOf(rig)).toEqual(before);
  const plan = value(await author.carry());
  expect(snapshotOf(rig)).toEqual(before);
  value(await author.perform({ ...request, carry: { plan, subject: 'finish it' } }));
  expect(snapshotOf(rig)).toEqual(before);
});

test('the same request twice is one commit, also when its end was not heard of', async () => {
  const rig = makeRig();
  rig.commit('first', APP);
  const author = await openAuthor(rig);
  const request = await requestFor(author, [nodeLane()]);
  const first = value(await author.perform(request));
  const again = value(await author.perform(request));
  expect(again.commit).toBe(first.commit);
  expect(again.worktree).toBe(first.worktree);
});

test('a branch that somebody else moved is not touched', async () => {
  const rig = makeRig();
  const base = rig.commit('first', APP);
  const author = await openAuthor(rig);
  const request = await requestFor(author, [nodeLane()]);
  rig.git('branch', BRANCH, base);
  expect(await author.perform(request)).toEqual({
    ok: false,
    error: { kind: 'branch_moved', branch: BRANCH, now: base },
  });
  expect(rig.git('rev-parse', BRANCH)).toBe(base);
});

test('a branch that somebody stands on is not moved under them', async () => {
  const rig = makeRig();
  rig.commit('first', APP);
  const author = await openAuthor(rig);
  const request = await requestFor(author, [nodeLane()]);
  rig.git('switch', '--quiet', '-c', BRANCH);
  expect(await author.perform(request)).toMatchObject({ error: { kind: 'branch_in_use' } });
});

test('a file regenerated later replaces the one on the branch', async () => {
  const rig = makeRig();
  rig.commit('first', APP);
  const author = await openAuthor(rig);
  const first = value(await author.perform(await requestFor(author, [nodeLane()])));
  const lanes = [nodeLane({ start: 'node server.js' })];
  const second = value(
    await author.perform(await requestFor(author, lanes, { expected: first.commit })),
  );
  expect(inBranch(rig, 'Dockerfile')).toContain('CMD ["node","server.js"]');
  expect(rig.git('rev-parse', BRANCH)).toBe(second.commit);
});

async function merged(): Promise<Rig> {
  const rig = makeRig();
  rig.commit('first', APP);
  const author = await openAuthor(rig);
  value(await author.perform(await requestFor(author, [nodeLane()])));
  rig.git('merge', '--quiet', '--ff-only', BRANCH);
  rig.git('branch', '-d', BRANCH);
  return rig;
}

describe('DC-31 after the branch was merged', () => {
  test('a second run finds everything as it left it', async () => {
    const rig = await merged();
    const author = await openAuthor(rig);
    const plan = value(
      await author.plan({
        lanes: [nodeLane()],
        project: 'shop',
        generatedAt: '2030-01-01T00:00:00Z',
      }),
    );
    expect(new Set(plan.files.map(({ action }) => action))).toEqual(new Set(['unchanged']));
    expect(value(await author.perform(await requestFor(author, [nodeLane()])))).toMatchObject({
      written: [],
    });
  });

  test.each(['committed', 'uncommitted'])(
    'a %s edit makes the file the developer’s',
    async (how) => {
      const rig = await merged();
      rig.write('Dockerfile', 'FROM mine\nUSER 1\nCMD ["x"]\n');
      if (how === 'committed') rig.git('commit', '--quiet', '-am', 'own image');
      const author = await openAuthor(rig);
      const lanes = [nodeLane({ port: 4000 })];
      const request = await requestFor(author, lanes);
      expect(request.files.find(({ path }) => path === 'Dockerfile')).toMatchObject({
        action: 'skip',
        reason: 'edited-by-developer',
      });
      const done = value(await author.perform(request));
      expect(done.written).toContain('fly.toml');
      expect(done.written).not.toContain('Dockerfile');
      expect(inBranch(rig, 'Dockerfile')).toBe(rig.git('show', 'HEAD:Dockerfile'));
    },
  );
});

describe('DC-30 refused before git changes anything', () => {
  const tampered: readonly [string, Partial<AuthorRequest['files'][number]>, string][] = [
    ['a source file', { path: 'src/index.ts' }, 'not_owned'],
    ['package.json', { path: 'package.json' }, 'not_owned'],
    ['a foreign workflow', { path: '.github/workflows/ci.yml' }, 'not_owned'],
    ["git's own file", { path: '.git/config' }, 'not_owned'],
    ['an absolute path', { path: '/tmp/Dockerfile' }, 'not_owned'],
    ['a climbing path', { path: '../Dockerfile' }, 'not_owned'],
    ['another case', { path: 'DOCKERFILE' }, 'not_owned'],
    ['a wide dot', { path: '．git/Dockerfile' }, 'not_owned'],
    ['a directory nobody deploys', { path: 'other/Dockerfile' }, 'not_owned'],
    ['content that does not parse', { content: 'nonsense\n' }, 'does_not_parse'],
    [
      'content with a credential',
      { content: `FROM a\nENV K=AKIA${'A'.repeat(16)}\nUSER 1\nCMD ["x"]\n` },
      'does_not_parse',
    ],
  ];

  test.each(tampered)('%s', async (_, change, kind) => {
    const rig = makeRig();
    rig.commit('first', APP);
    const author = await openAuthor(rig);
    const request = await requestFor(author, [nodeLane()]);
    const before = {
      ...snapshotOf(rig),
      refs: rig.git('for-each-ref'),
      objects: rig.git('count-objects'),
    };
    const files = request.files.map((file) =>
      file.path === 'Dockerfile' ? { ...file, ...change } : file,
    );
    expect(await author.perform({ ...request, files })).toMatchObject({
      ok: false,
      error: { kind },
    });
    expect({
      ...snapshotOf(rig),
      refs: rig.git('for-each-ref'),
      objects: rig.git('count-objects'),
    }).toEqual(before);
  });

  test('a record that claims files Convoy did not write', async () => {
    const rig = makeRig();
    rig.commit('first', APP);
    const author = await openAuthor(rig);
    const request = await requestFor(author, [nodeLane()]);
    const files = request.files.map((file) =>
      file.path === '.convoy-provenance.json'
        ? { ...file, content: file.content.replace('"Dockerfile"', '"vercel.json"') }
        : file,
    );
    expect(await author.perform({ ...request, files })).toMatchObject({
      error: { kind: 'changed_since_shown', paths: ['.convoy-provenance.json'] },
    });
  });

  test('a plan id that is no name', async () => {
    const rig = makeRig();
    rig.commit('first', APP);
    const author = await openAuthor(rig);
    const request = await requestFor(author, [nodeLane()]);
    for (const planId of ['', '../main', 'a b', '-x', 'x.lock', 'a/b'])
      expect(await author.perform({ ...request, planId })).toMatchObject({
        error: { kind: 'bad_plan_id' },
      });
  });

  test('a base that is not there', async () => {
    const rig = makeRig();
    rig.commit('first', APP);
    const author = await openAuthor(rig);
    const request = await requestFor(author, [nodeLane()]);
    expect((await author.perform({ ...request, base: 'f'.repeat(40) })).ok).toBe(false);
    expect(rig.git('for-each-ref', 'refs/heads/convoy')).toBe('');
  });
});

describe('what stands in the user’s repository', () => {
  const lanes = [nodeLane({ path: 'apps/api' })];
  const plan = async (rig: Rig) =>
    value(
      await (await openAuthor(rig)).plan({ lanes, project: 'shop', generatedAt: GENERATED_AT }),
    );

  test('a linked directory leads nowhere, committed or not', async () => {
    const rig = makeRig();
    rig.commit('first', APP);
    mkdirSync(join(rig.root, 'outside/api'), { recursive: true });
    symlinkSync(join(rig.root, 'outside'), join(rig.repo, 'apps'));
    const loose = await plan(rig);
    expect(loose.refused.map(({ reason }) => reason)).toContain('through-symlink');
    expect(loose.files.map(({ path }) => path)).toEqual([
      '.github/workflows/convoy-api.yml',
      '.convoy-provenance.json',
    ]);
    rig.git('add', 'apps');
    rig.git('commit', '--quiet', '-m', 'link');
    rmSync(join(rig.repo, 'apps'));
    expect((await plan(rig)).refused.map(({ reason }) => reason)).toContain('through-symlink');
  });

  test('a link that appears after the plan was shown stops it', async () => {
    const rig = makeRig();
    rig.commit('first', { ...APP, 'apps/api/app.js': 'x\n' });
    const author = await openAuthor(rig);
    const request = await requestFor(author, lanes);
    symlinkSync('/etc/passwd', join(rig.repo, 'apps/api/Dockerfile'));
    expect(await author.perform(request)).toEqual({
      ok: false,
      error: { kind: 'not_owned', path: 'apps/api/Dockerfile', reason: 'through-symlink' },
    });
  });

  test('a user file that appears after the plan was shown stops it', async () => {
    const rig = makeRig();
    rig.commit('first', { ...APP, 'apps/api/app.js': 'x\n' });
    const author = await openAuthor(rig);
    const request = await requestFor(author, lanes);
    rig.write('apps/api/Dockerfile', 'FROM mine\n');
    expect(await author.perform(request)).toMatchObject({
      error: {
        kind: 'changed_since_shown',
        paths: expect.arrayContaining(['apps/api/Dockerfile']),
      },
    });
    expect(rig.git('for-each-ref', 'refs/heads/convoy')).toBe('');
  });

  test('a Dockerfile of the user is left alone, and one in another case is not joined', async () => {
    const rig = makeRig();
    rig.commit('first', { ...APP, 'apps/api/Dockerfile': 'FROM mine\n' });
    const kept = await plan(rig);
    expect(kept.files.find(({ path }) => path === 'apps/api/Dockerfile')).toMatchObject({
      action: 'skip',
      reason: 'exists-owned-by-user',
    });
    rig.git('mv', 'apps/api/Dockerfile', 'apps/api/dockerfile');
    const variant = await plan(rig);
    expect(variant.refused).toContainEqual(
      expect.objectContaining({ path: 'apps/api/Dockerfile', reason: 'name-variant' }),
    );
  });

  test('a Dockerfile of the user is replaced on the branch when they agreed, and only there', async () => {
    const rig = makeRig();
    rig.commit('first', { ...APP, Dockerfile: 'FROM mine\n' });
    const author = await openAuthor(rig);
    const agreed = new Set(['Dockerfile']);
    const own = value(
      await author.plan({
        lanes: [nodeLane()],
        project: 'shop',
        generatedAt: GENERATED_AT,
        agreed,
      }),
    );
    const request = await requestFor(author, [nodeLane()], { files: own.files });
    // The agreement belongs to the request: without it the same files are refused.
    expect(await author.perform(request)).toMatchObject({ error: { kind: 'changed_since_shown' } });
    value(await author.perform({ ...request, agreed }));
    expect(inBranch(rig, 'Dockerfile')).toContain('FROM node');
    expect(readFileSync(join(rig.repo, 'Dockerfile'), 'utf8')).toBe('FROM mine\n');
  });

  test('a checkout that is itself a linked worktree is worked from like any other', async () => {
    const rig = makeRig();
    rig.commit('first', APP);
    const linked = join(rig.root, 'linked');
    rig.git('worktree', 'add', '--quiet', '-b', 'side', linked);
    writeFileSync(join(linked, 'app.js'), 'fixed()\n');
    const author = await openAuthor({ ...rig, repo: linked });
    const carry = value(await author.carry());
    expect(carry.files.map(({ path }) => path)).toEqual(['app.js']);
    const request = await requestFor(author, [nodeLane()], {
      carry: { plan: carry, subject: 'x' },
    });
    value(await author.perform(request));
    expect(inBranch(rig, 'app.js')).toBe('fixed()');
    expect(rig.gitIn(linked, 'status', '--porcelain')).toBe(' M app.js');
  });

  test('lanes in directories with blanks and other scripts get their files there', async () => {
    const rig = makeRig();
    rig.commit('first', { 'apps/my größe/app.js': 'x\n' });
    const author = await openAuthor(rig);
    const done = value(
      await author.perform(await requestFor(author, [nodeLane({ path: 'apps/my größe' })])),
    );
    expect(done.written).toContain('apps/my größe/Dockerfile');
    expect(existsSync(join(done.worktree, 'apps/my größe/Dockerfile'))).toBe(true);
  });

  test('a repository without a commit can be planned for', async () => {
    const rig = makeRig();
    writeFileSync(join(rig.repo, 'app.js'), 'x\n');
    const made = await plan(rig);
    expect(made.base).toBeNull();
    expect(made.files.map(({ path }) => path)).toContain('apps/api/Dockerfile');
  });
});
