import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openPlanFiles } from '../../src/adapters/plans/plan-files.ts';
import { openRunVariables, parseEnv } from '../../src/adapters/plans/run-variables.ts';
import { addressOf, openSources } from '../../src/adapters/plans/sources.ts';
import { directoryTree } from '../../src/adapters/scan/directory-tree.ts';
import { scan } from '../../src/adapters/scan/scan.ts';
import type { RepositoryMark } from '../../src/domain/ship/plan/plan.ts';
import { planner } from '../../src/daemon/ship.ts';
import { serveGit } from '../fakes/git-http.ts';
import { git, repository, SERVICE, tempDir, write } from './temp.ts';

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

const sources = (clonesDir: string | null, env: NodeJS.ProcessEnv = process.env) =>
  openSources({ clonesDir, env, tree: directoryTree, scan });

async function markOf(root: string): Promise<RepositoryMark> {
  const mark = await sources(null).mark(root);
  if (!mark.ok) throw new Error(mark.error.kind);
  return mark.value;
}

test('a mark tells commit, branch and uncommitted work, to the byte', async () => {
  using temp = tempDir();
  const root = repository(join(temp.path, 'app'), SERVICE);
  const clean = await markOf(root);
  expect(clean).toMatchObject({
    sha: git(root, 'rev-parse', 'HEAD'),
    branch: 'main',
    git: true,
    prefix: '.',
    remote: null,
    dirty: [],
  });
  write(root, { 'new file.txt': 'one', '.convoy/ledger.db': 'ours' });
  const dirty = await markOf(root);
  expect(dirty.dirty).toEqual(['new file.txt']);
  expect(dirty.dirty_digest).not.toBe(clean.dirty_digest);
  write(root, { 'new file.txt': 'two' });
  expect((await markOf(root)).dirty_digest).not.toBe(dirty.dirty_digest);
  write(root, { 'new file.txt': 'one' });
  expect((await markOf(root)).dirty_digest).toBe(dirty.dirty_digest);
});

test('a tree inside a repository and one outside git have marks too', async () => {
  using temp = tempDir();
  const root = repository(join(temp.path, 'mono'), { 'services/api/package.json': '{}', a: 'a' });
  write(root, { a: 'changed', 'services/api/x.js': 'x' });
  const inner = await markOf(join(root, 'services/api'));
  expect(inner.prefix).toBe('services/api');
  expect(inner.dirty).toEqual(['x.js']);
  const plain = join(temp.path, 'plain');
  write(plain, SERVICE);
  const before = await markOf(plain);
  expect(before).toMatchObject({ git: false, sha: null });
  write(plain, { 'server.js': 'changed' });
  expect((await markOf(plain)).dirty_digest).not.toBe(before.dirty_digest);
});

test('a repository before its first commit is fine', async () => {
  using temp = tempDir();
  git(temp.path, 'init', '--quiet', '--initial-branch=main');
  write(temp.path, SERVICE);
  expect(await markOf(temp.path)).toMatchObject({
    sha: null,
    git: true,
    dirty: ['package.json', 'server.js'],
  });
});

test('looking at a repository runs none of the programs it names', async () => {
  using temp = tempDir();
  const root = repository(join(temp.path, 'app'), {
    ...SERVICE,
    '.gitattributes': '* filter=evil',
  });
  const trap = join(temp.path, 'trapped');
  git(root, 'config', 'filter.evil.clean', `touch ${trap}; cat`);
  git(root, 'config', 'filter.evil.required', 'true');
  git(root, 'config', 'core.fsmonitor', `touch ${trap}`);
  write(root, { 'server.js': 'changed in the same place' });
  const plan = await planner(process.env).draft({ target: root, platform: null, demo: false });
  expect(plan.ok && plan.value.repo.dirty).toContain('server.js');
  expect(existsSync(trap)).toBe(false);
});

test('a plan of an unchanged repository is the same plan, and writes nothing', async () => {
  using temp = tempDir();
  const root = repository(join(temp.path, 'app'), SERVICE);
  const draft = () => planner(process.env).draft({ target: root, platform: null, demo: false });
  const [first, second] = [await draft(), await draft()];
  if (!first.ok || !second.ok) throw new Error('no plan');
  expect(second.value.hash).toBe(first.value.hash);
  expect(first.value.lanes[0]).toMatchObject({ name: 'hello', start: 'node server.js' });
  expect(first.value.files.map(({ path }) => path)).toContain('Dockerfile');
  expect(git(root, 'status', '--porcelain', '--ignored')).toBe('');
});

test('addresses are told from paths and from options', () => {
  expect(addressOf('octo/web')).toBe('https://github.com/octo/web.git');
  expect(addressOf('https://example.com/a.git')).toBe('https://example.com/a.git');
  expect(addressOf('git@example.com:a/b.git')).toBe('git@example.com:a/b.git');
  for (const odd of ['web', '-o/x', 'a/b/c', '--upload-pack=x/y', 'file:///etc', 'ext::sh -c x'])
    expect(addressOf(odd)).toBeNull();
});

test('an address is cloned once, followed, and taken from the clone when the remote is gone', async () => {
  using temp = tempDir();
  const origin = repository(join(temp.path, 'origin'), SERVICE);
  git(temp.path, 'clone', '--quiet', '--bare', origin, join(temp.path, 'served', 'hello.git'));
  const server = await serveGit(join(temp.path, 'served'));
  try {
    const from = sources(join(temp.path, 'clones'));
    const first = await from.locate(`${server.url}/hello.git`);
    if (!first.ok) throw new Error(JSON.stringify(first.error));
    expect(first.value).toMatchObject({ origin: 'clone', stale: null });
    expect(readFileSync(join(first.value.root, 'server.js'), 'utf8')).toBe(SERVICE['server.js']);
    expect(git(first.value.root, 'rev-list', '--count', 'HEAD')).toBe('1');
    write(origin, { 'server.js': '// newer' });
    git(origin, 'commit', '--quiet', '--all', '--message=two');
    git(origin, 'push', '--quiet', join(temp.path, 'served', 'hello.git'), 'main');
    const second = await from.locate(`${server.url}/hello.git`);
    expect(second.ok && second.value.stale).toBeNull();
    expect(readFileSync(join(first.value.root, 'server.js'), 'utf8')).toBe('// newer');
    server.fail(503);
    const third = await from.locate(`${server.url}/hello.git`);
    expect(third.ok && third.value.root).toBe(first.value.root);
    expect(third.ok && third.value.stale).toMatch(/503/);
    const never = await from.locate(`${server.url}/other.git`);
    expect(!never.ok && never.error.kind).toBe('remote-refused');
  } finally {
    await server.close();
  }
});

test('what is not there is not found, and nothing is cloned without a place', async () => {
  using temp = tempDir();
  const missing = await sources(null).locate(join(temp.path, 'nothing'));
  expect(!missing.ok && missing.error.kind).toBe('not-found');
  write(temp.path, { file: '' });
  const file = await sources(null).locate(join(temp.path, 'file'));
  expect(!file.ok && file.error.kind).toBe('not-a-directory');
  const nowhere = await sources(null).locate('octo/web');
  expect(!nowhere.ok && nowhere.error.kind).toBe('no-place');
});

async function savedPlan(root: string, dir: string) {
  const plans = openPlanFiles({ dir, key: 'secret', digest: sha256 });
  const drafted = await planner(process.env).draft({ target: root, platform: null, demo: false });
  if (!drafted.ok) throw new Error('no plan');
  return { plans, plan: await plans.save(drafted.value) };
}

test('plans are kept as files and found by a prefix', async () => {
  using temp = tempDir();
  const root = repository(join(temp.path, 'app'), SERVICE);
  const { plans, plan } = await savedPlan(root, join(temp.path, 'plans'));
  expect((await plans.save(plan)).created_at).toBe(plan.created_at);
  const found = await plans.read(plan.id.slice(0, 7));
  expect(found.ok && found.value).toEqual(plan);
  expect(await plans.list()).toEqual([{ kind: 'plan', plan }]);
  const unknown = await plans.read('plan-zzzzz');
  expect(!unknown.ok && unknown.error.kind).toBe('unknown-plan');
});

test('DC-13 a plan that was edited is refused, also when its hash was made anew', async () => {
  using temp = tempDir();
  const root = repository(join(temp.path, 'app'), SERVICE);
  const { plans, plan } = await savedPlan(root, join(temp.path, 'plans'));
  const file = join(temp.path, 'plans', `${plan.id}.json`);
  const kept = JSON.parse(readFileSync(file, 'utf8'));
  kept.plan.lanes[0].start = 'node evil.js';
  writeFileSync(file, JSON.stringify(kept));
  const edited = await plans.read(plan.id);
  expect(!edited.ok && edited.error.kind).toBe('edited-plan');
  const { planHash } = await import('../../src/domain/ship/plan/identity.ts');
  kept.plan.hash = planHash(kept.plan, sha256);
  writeFileSync(file, JSON.stringify(kept));
  const rehashed = await plans.read(plan.id);
  expect(!rehashed.ok && rehashed.error.kind).toBe('edited-plan');
});

test('variables of a run are readable by their owner only and go with it', async () => {
  using temp = tempDir();
  const variables = openRunVariables(join(temp.path, 'env'));
  await variables.keep('run-1', { TOKEN: 's3cret' });
  const { statSync } = await import('node:fs');
  expect(statSync(join(temp.path, 'env', 'run-1.json')).mode & 0o777).toBe(0o600);
  expect(await variables.read('run-1')).toEqual({ TOKEN: 's3cret' });
  await variables.forget('run-1');
  expect(await variables.read('run-1')).toEqual({});
});

test('an env file is read the usual way', () => {
  const text = '# no\nA=1\nexport B="two words"\nC=\'$D\'\nD= spaced # why\nnonsense\nE="a\\nb"\n';
  expect(parseEnv(text)).toEqual({ A: '1', B: 'two words', C: '$D', D: 'spaced', E: 'a\nb' });
});
