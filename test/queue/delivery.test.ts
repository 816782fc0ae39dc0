import { execFileSync } from 'node:child_process';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { type GitHttpServer, serveGit } from '../fakes/git-http.ts';
import { makeQueue, type QueueRig, WRITES_A_FILE } from './rig.ts';

type Remote = {
  readonly server: GitHttpServer;
  readonly bare: string;
  at(...args: string[]): string;
};

/** A workspace whose repository has an origin behind git's own HTTP server. */
async function withOrigin(settings = ''): Promise<{ rig: QueueRig; remote: Remote }> {
  const rig = await makeQueue({ settings });
  rig.write(
    '.convoy/config.toml',
    rig.config().replace('[workspace]', '[workspace]\nbackoff = "300ms"'),
  );
  const bare = join(rig.root, 'remote.git');
  const at = (...args: string[]): string =>
    execFileSync('git', args, { cwd: bare, env: rig.env, encoding: 'utf8', stdio: 'pipe' }).trim();
  execFileSync('git', ['init', '--quiet', '--bare', '-b', 'main', bare], { env: rig.env });
  at('config', 'http.receivepack', 'true');
  const server = await serveGit(rig.root);
  onTestFinished(() => server.close());
  rig.git('remote', 'add', 'origin', `${server.url}/remote.git`);
  // By its path: this process cannot wait for git and serve it at the same time.
  rig.git('push', '--quiet', bare, 'main');
  return { rig, remote: { server, bare, at } };
}

test('a landing reaches origin with the local target, and the tree is the verified one', async () => {
  const { rig, remote } = await withOrigin();
  const task = await rig.task('one');
  const ran = await rig.launch(task);
  expect(ran.json.convoy.status).toBe('landed');
  expect(remote.at('rev-parse', 'main')).toBe(rig.git('rev-parse', 'main'));
  expect(remote.at('show', `main:${task}.txt`)).toBe('one');
  expect(remote.at('for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
});

test('a password in the address of origin is used, and neither recorded nor told', async () => {
  const { rig, remote } = await withOrigin();
  const withSecret = (word: string): string =>
    `${remote.server.url.replace('://', `://me:${word}@`)}/remote.git`;
  rig.git('remote', 'set-url', 'origin', withSecret('hunter22'));
  expect((await rig.launch(await rig.task('one'))).json.convoy.status).toBe('landed');
  // Another password is no other place; another place is told without it.
  rig.git('remote', 'set-url', 'origin', withSecret('hunter33'));
  expect((await rig.launch(await rig.task('two'))).json.convoy.status).toBe('landed');
  expect(remote.at('rev-parse', 'main')).toBe(rig.git('rev-parse', 'main'));
  const told = (await rig.convoy(['events', '--limit', '1000', '--json'])).stdout;
  expect(told).toContain('remote-recorded');
  expect(told).not.toMatch(/hunter\d\d/);
});

test('with delivery = "local" nothing is pushed', async () => {
  const { rig, remote } = await withOrigin('delivery = "local"');
  const before = remote.at('rev-parse', 'main');
  const ran = await rig.launch(await rig.task('one'));
  expect(ran.json.convoy.status).toBe('landed');
  expect(remote.at('rev-parse', 'main')).toBe(before);
});

test('what others pushed meanwhile is fetched and the work verified on top of it', async () => {
  const { rig, remote } = await withOrigin();
  const other = join(rig.root, 'other');
  execFileSync('git', ['clone', '--quiet', remote.bare, other], { env: rig.env, stdio: 'pipe' });
  writeFileSync(join(other, 'theirs.txt'), 'theirs\n');
  const run = (...args: string[]): void =>
    void execFileSync('git', args, { cwd: other, env: rig.env, stdio: 'pipe' });
  run('add', '.');
  run('commit', '--quiet', '-m', 'theirs');
  run('push', '--quiet');
  const task = await rig.task('one');
  const ran = await rig.launch(task);
  expect(ran.json.convoy.status).toBe('landed');
  expect(remote.at('ls-tree', '--name-only', 'main').split('\n')).toEqual([
    'theirs.txt',
    `${task}.txt`,
  ]);
  expect(rig.git('rev-parse', 'main')).toBe(remote.at('rev-parse', 'main'));
});

test('GT-146 a refused push is a visible state that heals itself, never a closed task', async () => {
  const { rig, remote } = await withOrigin();
  const hook = join(remote.bare, 'hooks/pre-receive');
  const frozen = 'case "$ref" in refs/heads/main) echo "main is frozen" >&2; exit 1;; esac';
  writeFileSync(hook, `#!/bin/sh\nwhile read old new ref; do ${frozen}; done\n`);
  chmodSync(hook, 0o755);
  const before = remote.at('rev-parse', 'main');
  const { convoy } = await rig.ok(['create', 'One', await rig.task('one')]);
  await rig.ok(['launch', convoy.id]);
  const seen = await rig.until(
    () => rig.ok(['queue', 'list', '--target', 'main']),
    ({ entries }) => entries[0]?.state === 'waiting_push',
  );
  expect(seen.entries[0]).toMatchObject({ landing: true, reason: expect.stringContaining('push') });
  expect(rig.git('rev-parse', 'main')).toBe(before);
  expect((await rig.status(convoy.id)).status).toBe('landing');
  writeFileSync(hook, '#!/bin/sh\nexit 0\n');
  await rig.until(
    () => rig.status(convoy.id),
    ({ status }) => status === 'landed',
  );
  expect(remote.at('rev-parse', 'main')).toBe(rig.git('rev-parse', 'main'));
  await rig.convoy(['down']);
});

test('once a convoy has begun, a remote that is down delays the landing and nothing else', async () => {
  const { rig, remote } = await withOrigin();
  const go = join(rig.root, 'go');
  rig.agent(`while [ ! -e "${go}" ]; do sleep 0.05; done\n${WRITES_A_FILE}`);
  const { convoy } = await rig.ok(['create', 'One', await rig.task('one')]);
  await rig.ok(['launch', convoy.id]);
  await rig.until(
    () => rig.status(convoy.id),
    ({ progress }) => progress.running === 1,
  );
  remote.server.fail(503);
  writeFileSync(go, '');
  await rig.until(
    () => rig.ok(['queue', 'list', '--target', 'main']),
    ({ entries }) => entries[0]?.state === 'waiting_push',
  );
  remote.server.fail(null);
  await rig.until(
    () => rig.status(convoy.id),
    ({ status }) => status === 'landed',
  );
  expect(remote.at('rev-parse', 'main')).toBe(rig.git('rev-parse', 'main'));
  await rig.convoy(['down']);
});

test('a force-push by others is refused and reported, and no commit of theirs is undone', async () => {
  const { rig, remote } = await withOrigin();
  const first = rig.git('rev-parse', 'main');
  await rig.launch(await rig.task('one'));
  const other = remote.at('commit-tree', `${first}^{tree}`, '-p', first, '-m', 'rewritten');
  remote.at('update-ref', 'refs/heads/main', other);
  const { convoy } = await rig.ok(['create', 'Two', await rig.task('two')]);
  await rig.ok(['launch', convoy.id]);
  const held = await rig.until(
    () => rig.ok(['queue', 'list', '--target', 'main']),
    ({ queues }) => queues.some((queue: { held: string | null }) => queue.held !== null),
  );
  const [queue] = held.queues.filter((one: { held: string | null }) => one.held !== null);
  expect(queue.held).toContain('force-pushed');
  expect(remote.at('rev-parse', 'main')).toBe(other);
  await rig.convoy(['down']);
});

test('a commit of the user on the target is built upon; a landing that vanished stops the queue', async () => {
  const rig = await makeQueue();
  const first = rig.git('rev-parse', 'main');
  const a = await rig.task('one');
  await rig.launch(a);
  rig.write('mine.txt', 'mine\n');
  rig.git('add', 'mine.txt');
  rig.git('commit', '--quiet', '-m', 'mine');
  const b = await rig.task('two');
  expect((await rig.launch(b)).json.convoy.status).toBe('landed');
  expect(rig.git('ls-tree', '--name-only', 'main').split('\n').toSorted()).toEqual(
    [`${a}.txt`, `${b}.txt`, 'mine.txt'].toSorted(),
  );
  rig.git('reset', '--quiet', '--hard', first);
  const { convoy } = await rig.ok(['create', 'Three', await rig.task('three')]);
  await rig.ok(['launch', convoy.id]);
  await rig.until(
    () => rig.ok(['queue', 'list', '--target', 'main']),
    ({ queues }) => queues.some((queue: { held: string | null }) => queue.held !== null),
  );
  expect(rig.git('rev-parse', 'main')).toBe(first);
  await rig.ok(['queue', 'resume']);
  await rig.until(
    () => rig.status(convoy.id),
    ({ status }) => status === 'landed',
  );
  await rig.convoy(['down']);
});
