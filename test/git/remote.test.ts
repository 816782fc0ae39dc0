import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { BranchUpdate, Repository } from '../../src/ports/repository.ts';
import { serveGit, type GitHttpServer } from '../fakes/git-http.ts';
import { error, makeRig, value, type Rig } from './rig.ts';

type Setting = {
  rig: Rig;
  repository: Repository;
  server: GitHttpServer;
  url: string;
  bare: string;
  base: string;
};

async function withRemote(): Promise<Setting> {
  const rig = makeRig();
  const base = rig.commit('base', { a: '1' });
  const bare = join(rig.root, 'remote.git');
  rig.gitIn(rig.root, 'init', '--quiet', '--bare', '-b', 'develop', bare);
  const server = await serveGit(rig.root);
  onTestFinished(() => server.close());
  return { rig, base, bare, server, url: `${server.url}/remote.git`, repository: await rig.open() };
}

test('a branch is created, moved forward, fetched and removed over http', async () => {
  const { rig, base, bare, url, repository } = await withRemote();
  const { remote } = repository;
  const next = rig.plant({ a: '2' }, base);
  expect(value(await remote.head(url, 'topic'))).toBeNull();
  value(await remote.push({ url, branch: 'topic', commit: base, expected: null }));
  value(await remote.push({ url, branch: 'topic', commit: next, expected: base }));
  expect(rig.gitIn(bare, 'rev-parse', 'topic')).toBe(next);
  expect(value(await remote.head(url, 'topic'))).toBe(next);
  expect(value(await remote.fetch(url, 'topic'))).toBe(next);
  expect(value(await remote.fetch(url, 'absent'))).toBeNull();
  value(await remote.remove(url, 'topic', next));
  expect(value(await remote.head(url, 'topic'))).toBeNull();
});

test('commits that only the remote had are here after a fetch, and no branch of the user moved', async () => {
  const { rig, base, bare, url, repository } = await withRemote();
  value(await repository.remote.push({ url, branch: 'develop', commit: base, expected: null }));
  const clone = join(rig.root, 'clone');
  rig.gitIn(rig.root, 'clone', '--quiet', bare, clone);
  writeFileSync(join(clone, 'a'), 'theirs');
  rig.gitIn(clone, 'commit', '--quiet', '-am', 'theirs');
  rig.gitIn(clone, 'push', '--quiet');
  const refs = rig.git('for-each-ref', 'refs/heads', 'refs/remotes', 'refs/tags');
  const fetched = value(await repository.remote.fetch(url, 'develop'));
  expect(fetched).toBe(rig.gitIn(clone, 'rev-parse', 'HEAD'));
  expect(value(await repository.facts.isAncestor(base, fetched ?? ''))).toBe(true);
  expect(rig.git('for-each-ref', 'refs/heads', 'refs/remotes', 'refs/tags')).toBe(refs);
});

test('a remote that moved meanwhile rejects the push as stale and keeps what it has', async () => {
  const { rig, base, bare, url, repository } = await withRemote();
  const mine = rig.plant({ a: '2' }, base);
  const theirs = rig.plant({ a: '3' }, base);
  const { remote } = repository;
  value(await remote.push({ url, branch: 'develop', commit: base, expected: null }));
  value(await remote.push({ url, branch: 'develop', commit: theirs, expected: base }));
  const push = { url, branch: 'develop', commit: mine };
  expect(error(await remote.push({ ...push, expected: base }))).toMatchObject({
    kind: 'push_rejected',
    reason: 'stale',
  });
  expect(error(await remote.push({ ...push, expected: null }))).toMatchObject({
    kind: 'push_rejected',
    reason: 'stale',
  });
  expect(rig.gitIn(bare, 'rev-parse', 'develop')).toBe(theirs);
});

test('a push that would rewrite the remote branch is never sent', async () => {
  const { rig, base, bare, url, repository } = await withRemote();
  const one = rig.plant({ a: '2' }, base);
  const aside = rig.plant({ a: '3' }, base);
  value(await repository.remote.push({ url, branch: 'x', commit: one, expected: null }));
  expect(
    error(await repository.remote.push({ url, branch: 'x', commit: aside, expected: one })),
  ).toMatchObject({ kind: 'push_rejected', reason: 'not_fast_forward' });
  expect(rig.gitIn(bare, 'rev-parse', 'x')).toBe(one);
});

test('a hook of the remote that says no is a rejection', async () => {
  const { base, bare, url, repository } = await withRemote();
  const hook = join(bare, 'hooks/pre-receive');
  writeFileSync(hook, '#!/bin/sh\nexit 1\n');
  chmodSync(hook, 0o755);
  expect(
    error(await repository.remote.push({ url, branch: 'x', commit: base, expected: null })),
  ).toMatchObject({ kind: 'push_rejected', reason: 'refused_by_remote' });
});

const update = (branch: string, commit: string | null, expected: string | null): BranchUpdate => ({
  branch,
  commit,
  expected,
});

test('many branches go over one connection, and a rejected one holds up no other', async () => {
  const { rig, base, bare, url, repository } = await withRemote();
  const { remote } = repository;
  const [next, aside] = [rig.plant({ a: '2' }, base), rig.plant({ a: '3' }, base)];
  const made = value(
    await remote.pushAll(url, [
      update('c/head', base, null),
      update('c/old', base, null),
      update('c/theirs', aside, null),
    ]),
  );
  expect(made.map(({ ok }) => ok)).toEqual([true, true, true]);
  const answers = value(
    await remote.pushAll(url, [
      update('c/head', next, base),
      update('c/theirs', next, base),
      update('c/theirs', next, aside),
      update('c/new', 'f'.repeat(40), null),
      update('c/old', null, base),
      update('c/gone', null, base),
    ]),
  );
  expect(answers).toMatchObject([
    { ok: true },
    { ok: false, error: { reason: 'stale' } },
    { ok: false, error: { reason: 'not_fast_forward' } },
    { ok: false, error: { kind: 'unknown_revision' } },
    { ok: true },
    { ok: false, error: { reason: 'stale' } },
  ]);
  expect(value(await remote.list(url, 'c/'))).toEqual([
    { name: 'c/head', commit: next },
    { name: 'c/theirs', commit: aside },
  ]);
  expect(value(await remote.list(url, 'c'))).toHaveLength(2);
  expect(value(await remote.list(url, 'convoy/'))).toEqual([]);
  expect(rig.gitIn(bare, 'for-each-ref', '--format=%(refname:short)')).toBe('c/head\nc/theirs');
});

test('a name that only ends like the one asked for is not listed', async () => {
  const { base, url, repository } = await withRemote();
  const { remote } = repository;
  const branch = 'x/refs/heads/convoy/a';
  value(await remote.pushAll(url, [update(branch, base, null)]));
  expect(value(await remote.list(url, 'convoy/'))).toEqual([]);
});

test.each([[503], [401], [404]])(
  'GT-146: a remote that answers %i gave no answer, so the push can be tried again',
  async (status) => {
    const { base, url, server, repository } = await withRemote();
    server.fail(status);
    const push = { url, branch: 'x', commit: base, expected: null };
    const down = { kind: 'errored', reason: 'remote_down' };
    expect(error(await repository.remote.push(push))).toMatchObject(down);
    expect(error(await repository.remote.fetch(url, 'x'))).toMatchObject(down);
    expect(error(await repository.remote.head(url, 'x'))).toMatchObject(down);
    expect(error(await repository.remote.list(url, 'x'))).toMatchObject(down);
    expect(error(await repository.remote.pushAll(url, [update('y', base, null)]))).toMatchObject(
      down,
    );
    server.fail(null);
    value(await repository.remote.push(push));
  },
);

test('a password in the address is not repeated in the error', async () => {
  const { repository } = await withRemote();
  const down = error(await repository.remote.fetch('http://me:hunter22@127.0.0.1:1/x', 'x'));
  expect(down).toMatchObject({ kind: 'errored', reason: 'remote_down' });
  expect(JSON.stringify(down)).not.toContain('hunter22');
});
