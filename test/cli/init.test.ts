import { existsSync, mkdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { onPostgres } from '../postgres/ledger-of-test.ts';
import { makeCli } from './rig.ts';

test('init makes a workspace with everything in it and leaves the repository clean', async () => {
  const rig = await makeCli({ init: false });
  const made = await rig.ok(['init']);
  expect(made).toEqual({
    schema: 'convoy.v1',
    workspace: rig.repo,
    created: true,
    repo: { name: 'main', prefix: 'web', target: 'main' },
    inside: null,
  });
  const modeOf = (name: string): number | null => {
    const file = statSync(join(rig.repo, '.convoy', name), { throwIfNoEntry: false });
    return file === undefined ? null : file.mode & 0o777;
  };
  expect(existsSync(join(rig.repo, '.convoy/config.toml'))).toBe(true);
  expect(modeOf('token')).toBe(0o600);
  // On a server there is no such file.
  expect(modeOf('ledger.db')).toBe(onPostgres() ? null : 0o600);
  expect(rig.git('status', '--porcelain')).toBe('');
});

test('init twice changes nothing', async () => {
  const rig = await makeCli();
  const task = await rig.task('kept');
  const [config, token] = [rig.config(), readFileSync(join(rig.repo, '.convoy/token'), 'utf8')];
  const again = await rig.ok(['init']);
  expect(again).toMatchObject({ created: false, workspace: rig.repo });
  expect(rig.config()).toBe(config);
  expect(readFileSync(join(rig.repo, '.convoy/token'), 'utf8')).toBe(token);
  expect((await rig.ok(['task', 'show', task])).task.title).toBe('kept');
});

test('the target is the default branch of the repository, whatever its name', async () => {
  const rig = await makeCli({ init: false, branch: 'develop' });
  expect((await rig.ok(['init'])).repo).toMatchObject({ target: 'develop' });
});

test('a repository without a commit is fine', async () => {
  const rig = await makeCli({ init: false, branch: 'trunk', born: false });
  expect((await rig.ok(['init'])).repo).toMatchObject({ target: 'trunk' });
  const staged = await rig.ok(['stage', await rig.task('first')]);
  expect(staged.warnings.map(({ code }: { code: string }) => code)).toContain('missing_branch');
});

test('init in a directory without git makes a workspace without a repo, and says so', async () => {
  const rig = await makeCli({ init: false, git: false });
  const made = await rig.convoy(['init']);
  expect(made.code).toBe(0);
  expect(made.stdout).toContain('convoy repo add');
  const ran = await rig.convoy(['task', 'create', 'x', '--json']);
  expect(ran.code).toBe(2);
  expect(ran.json.error).toMatchObject({
    code: 'no_repo',
    remedy: expect.stringContaining('repo add'),
  });
});

test('init with a prefix where there is no repository is a usage error and makes nothing', async () => {
  const rig = await makeCli({ init: false, git: false });
  const ran = await rig.convoy(['init', '--prefix', 'api', '--json']);
  expect(ran.code).toBe(2);
  expect(ran.json.error.code).toBe('not_a_repository');
  expect(existsSync(join(rig.repo, '.convoy'))).toBe(false);
});

test('init in a subdirectory of a repository makes the workspace there, for the whole repository', async () => {
  const rig = await makeCli({ init: false });
  const sub = join(rig.repo, 'tools');
  mkdirSync(sub);
  const made = await rig.ok(['init'], { cwd: sub });
  expect(made).toMatchObject({ workspace: sub, repo: { prefix: 'web', target: 'main' } });
  expect(readFileSync(join(sub, '.convoy/config.toml'), 'utf8')).toContain('path = ".."');
  expect((await rig.ok(['task', 'create', 'x'], { cwd: sub })).task.id).toMatch(/^web-/);
});

test('init elsewhere in the checkout of a workspace changes nothing and names the workspace', async () => {
  const rig = await makeCli();
  const sub = join(rig.repo, 'tools');
  mkdirSync(sub);
  const again = await rig.ok(['init'], { cwd: sub });
  expect(again).toMatchObject({ workspace: rig.repo, created: false });
  expect(existsSync(join(sub, '.convoy'))).toBe(false);
});

test('init in another repository below a workspace makes its own, and says what it hides', async () => {
  const rig = await makeCli({ git: false });
  const sub = join(rig.repo, 'api');
  rig.git('init', '--quiet', '-b', 'main', sub);
  const made = await rig.ok(['init'], { cwd: sub });
  expect(made).toMatchObject({ workspace: sub, created: true, inside: rig.repo });
  expect(made.repo).toMatchObject({ prefix: 'api' });
});

test.each(['cv', 'plan', 'run', 'ap', 'crew'])('the prefix %s is reserved', async (prefix) => {
  const rig = await makeCli({ init: false });
  const ran = await rig.convoy(['init', '--prefix', prefix, '--json']);
  expect(ran.code).toBe(2);
  expect(`${ran.json.error.message} ${ran.json.error.remedy}`).toContain('reserved');
  expect(existsSync(join(rig.repo, '.convoy'))).toBe(false);
});

test('name and prefix can be chosen; ids begin with the prefix', async () => {
  const rig = await makeCli({ init: false });
  const made = await rig.ok(['init', '--name', 'shop', '--prefix', 'sh']);
  expect(made.repo).toEqual({ name: 'shop', prefix: 'sh', target: 'main' });
  expect(await rig.task('x')).toMatch(/^sh-[0-9a-z]{3}$/);
});

test('-C DIR and CONVOY_DIR are like going there: they search upwards, for every command', async () => {
  const rig = await makeCli();
  const sub = join(rig.repo, 'src', 'deep');
  mkdirSync(sub, { recursive: true });
  const id = await rig.task('here');
  const outside = { cwd: rig.root };
  for (const how of [
    { args: ['-C', sub], env: {} },
    { args: ['--dir', 'web/src'], env: {} },
    { args: ['-C', join(rig.repo, '.convoy')], env: {} },
    { args: [], env: { CONVOY_DIR: sub } },
  ]) {
    const shown = await rig.ok([...how.args, 'task', 'show', id], { ...outside, env: how.env });
    expect(shown.task.id).toBe(id);
  }
  const up = await rig.ok(['-C', sub, 'up', '--detach'], outside);
  expect((await rig.ok(['-C', rig.repo, 'down'], outside)).stopped).toBe(up.pid);
  const nowhere = await rig.convoy(['-C', join(rig.repo, 'nope'), 'status', '--json']);
  expect(nowhere.code).toBe(3);
  expect(nowhere.json.error.message).toContain('is not a directory');
});

test('without git, init says so and makes nothing instead of overlooking the repository', async () => {
  const rig = await makeCli({ init: false });
  const ran = await rig.convoy(['init', '--json'], {
    env: { ...rig.env, PATH: join(rig.root, 'nowhere') },
  });
  expect(ran).toMatchObject({ code: 1, json: { error: { code: 'git_unavailable' } } });
  expect(existsSync(join(rig.repo, '.convoy'))).toBe(false);
});
