import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { cancelConvoy, createConvoy } from '../../src/contract/routes/convoys.ts';
import { overview } from '../../src/contract/routes/system.ts';
import { resumeQueue } from '../../src/contract/routes/queue.ts';
import { serveGit } from '../fakes/git-http.ts';
import { remoteRig } from './rig.ts';

test('the branch of a convoy is on origin before its first task begins', async () => {
  const rig = await remoteRig();
  const task = await rig.task('One');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  const kinds = (
    await rig.services.ledger.db.selectFrom('event').select('kind').orderBy('id').execute()
  ).map(({ kind }) => kind);
  const order = ['branches-pending', 'branches-named', 'branch-wanted', 'branch-pushed'];
  const places = [...order, 'branches-settled', 'attempt-opened'].map((kind) =>
    kinds.indexOf(kind),
  );
  expect(places).not.toContain(-1);
  expect(places).toEqual(places.toSorted((a, b) => a - b));
});

test.for([
  [401, 'origin does not accept our credentials'],
  [503, 'origin answers with an error of its own'],
  [null, 'origin cannot be reached'],
] as const)(
  'KG-18 origin answers %s: the convoy is there, its branch pending, nothing starts until it answers',
  async ([status, words]) => {
    const rig = await remoteRig({ workspace: { notify: ['me'] } });
    rig.config((config) => void Object.assign(config, { notify: { me: { sink: 'inbox' } } }));
    const { url } = rig.server;
    if (status === null) await rig.server.close();
    else rig.server.fail(status);
    const task = await rig.task('One');
    const convoy = await rig.launch(task);
    rig.start();
    const pending = await rig.until('pending', async () => {
      const now = await rig.show(convoy);
      return now.branch_pending?.includes(words) === true && now;
    });
    expect(pending).toMatchObject({ status: 'open', branch_pending: `${words} (main)` });
    expect(await rig.whys(task)).toEqual([
      `branch_pending: The branch of ${convoy} is pending: ${words} (main).`,
    ]);
    expect(await rig.whys(convoy)).toEqual([
      `branch_pending: The branch of ${convoy} is pending: ${words} (main).`,
    ]);
    // After the third failure people are told, once.
    expect(await rig.told()).toEqual([`Push failing: main: ${words}`]);
    const { needs_me: needs } = await rig.call(overview, {});
    expect(needs).toMatchObject([{ id: 'main', kind: 'origin', message: words }]);
    expect(await rig.attempts(task)).toEqual([]);
    expect(Object.keys(rig.origin.heads())).toEqual(['main']);

    if (status === null) {
      const again = await serveGit(rig.root, Number(new URL(url).port));
      onTestFinished(() => again.close());
    } else rig.server.fail(null);
    const landed = await rig.settled(convoy, 'landed');
    expect(landed.branch_pending).toBeNull();
    expect(rig.origin.heads()['main']).toBe(rig.git('rev-parse', 'main'));
    expect(await rig.told()).toHaveLength(1);
    expect((await rig.call(overview, {})).needs_me).toEqual([]);
  },
);

test('KG-18 an origin that can be read and not written to holds the convoy back as well', async () => {
  const rig = await remoteRig();
  const hook = join(rig.origin.path, 'hooks/pre-receive');
  writeFileSync(hook, '#!/bin/sh\necho "read only" >&2\nexit 1\n');
  chmodSync(hook, 0o755);
  const task = await rig.task('One');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.until('refused', async () => {
    const { branch_pending: pending } = await rig.show(convoy);
    return pending?.includes('origin refuses convoy/') === true;
  });
  expect(await rig.attempts(task)).toEqual([]);
  writeFileSync(hook, '#!/bin/sh\nexit 0\n');
  await rig.settled(convoy, 'landed');
});

test('KG-18 who says that everything stays on this machine need not wait for origin', async () => {
  const rig = await remoteRig();
  rig.server.fail(503);
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  await rig.until('pending', async () => (await rig.show(convoy)).branch_pending !== null);
  rig.config(({ repos }) => void Object.assign(repos['main'] ?? {}, { delivery: 'local' }));
  await rig.settled(convoy, 'landed');
  expect(Object.keys(rig.origin.heads())).toEqual(['main']);
  await rig.until('over', async () => (await rig.call(overview, {})).needs_me.length === 0);
});

test('a trouble that nothing waits for any more is none', async () => {
  const rig = await remoteRig();
  rig.server.fail(503);
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  await rig.until('in need', async () => (await rig.call(overview, {})).needs_me.length === 1);
  await rig.call(cancelConvoy, { params: { id: convoy }, body: {} });
  await rig.until('over', async () => (await rig.call(overview, {})).needs_me.length === 0);
  expect((await rig.show(convoy)).status).toBe('cancelled');
});

test('who has mended the access need not wait for the next try', async () => {
  const rig = await remoteRig({ workspace: { backoff: '1h' } });
  rig.server.fail(401);
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  await rig.until('pending', async () => {
    const { branch_pending: pending } = await rig.show(convoy);
    return pending?.includes('credentials') === true;
  });
  rig.server.fail(null);
  expect(await rig.call(resumeQueue, { body: { repo: 'main' } })).toMatchObject({
    origins: ['main'],
  });
  await rig.settled(convoy, 'landed');
});

test('KG-19 a name that holds other work on one remote gets a number in every repo', async () => {
  const rig = await remoteRig({ repos: ['main', 'api'] });
  const tasks = [await rig.task('One'), await rig.task('Two', { repo: 'api' })];
  const { convoy } = await rig.call(createConvoy, { body: { title: 'Shop', tasks } });
  const api = rig.origins['api'];
  const foreign = api?.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'theirs') ?? '';
  api?.git('update-ref', `refs/heads/${convoy.integration_branch}`, foreign);
  await rig.launch(convoy.id);
  rig.start();
  const landed = await rig.settled(convoy.id, 'landed');
  expect(landed.integration_branch).toBe(`convoy/shop-2/${convoy.id}/head`);
  const names = (await rig.branches(convoy.id)).map(({ repo, name }) => `${repo} ${name}`);
  expect(names).toContain(`main ${landed.integration_branch}`);
  expect(names).toContain(`api ${landed.integration_branch}`);
  await rig.gone(convoy.id);
  expect(api?.heads()).toMatchObject({ [convoy.integration_branch]: foreign });
  expect(Object.keys(api?.heads() ?? {})).toHaveLength(2);
  expect(rig.gitIn('api', 'log', '--format=%s', 'main')).not.toContain('theirs');
});

test('KG-19 a branch that leaves no room for the name, or lies beside it, counts as well', async () => {
  const rig = await remoteRig();
  const body = async (title: string): Promise<{ title: string; tasks: string[] }> => ({
    title,
    tasks: [await rig.task(title)],
  });
  const { convoy: a } = await rig.call(createConvoy, { body: await body('Pay') });
  const { convoy: b } = await rig.call(createConvoy, { body: await body('Cart') });
  const foreign = rig.origin.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'theirs');
  rig.origin.git('update-ref', 'refs/heads/convoy/pay', foreign);
  rig.origin.git('update-ref', `refs/heads/convoy/cart/${b.id}/task/x-1`, foreign);
  await rig.launch(a.id);
  await rig.launch(b.id);
  rig.start();
  const landed = await Promise.all([rig.settled(a.id, 'landed'), rig.settled(b.id, 'landed')]);
  expect(landed.map(({ integration_branch: branch }) => branch)).toEqual([
    `convoy/pay-2/${a.id}/head`,
    `convoy/cart-2/${b.id}/head`,
  ]);
});

test('KG-19 a name that is taken between the question and the push is given up', async () => {
  const rig = await remoteRig();
  const { convoy } = await rig.call(createConvoy, {
    body: { title: 'Shop', tasks: [await rig.task('One')] },
  });
  const foreign = rig.origin.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'theirs');
  // The first push comes too late: somebody creates the branch while it is on its way.
  const hook = join(rig.origin.path, 'hooks/pre-receive');
  const ref = `refs/heads/${convoy.integration_branch}`;
  writeFileSync(
    hook,
    `#!/bin/sh\nrm "$0"\nunset GIT_QUARANTINE_PATH\ngit update-ref ${ref} ${foreign}\nexit 1\n`,
  );
  chmodSync(hook, 0o755);
  await rig.launch(convoy.id);
  rig.start();
  const landed = await rig.settled(convoy.id, 'landed');
  expect(landed.integration_branch).toBe(`convoy/shop-2/${convoy.id}/head`);
  expect(rig.origin.heads()).toMatchObject({ [convoy.integration_branch]: foreign });
});

test('another address for origin needs a person’s word before anything is pushed there', async () => {
  const rig = await remoteRig();
  const first = await rig.launch(await rig.task('One'));
  rig.start();
  await rig.settled(first, 'landed');
  await rig.gone(first);
  rig.git('clone', '--quiet', '--bare', rig.origin.path, rig.path('evil.git'));
  rig.git('remote', 'set-url', 'origin', `${rig.server.url}/evil.git`);
  const convoy = await rig.launch(await rig.task('Two'));
  const stalled = await rig.settled(convoy, 'stalled');
  expect(stalled.reason).toContain('convoy queue resume --repo main');
  expect(rig.git('ls-remote', rig.path('evil.git'), 'refs/heads/convoy/*')).toBe('');
  const { origins } = await rig.call(resumeQueue, { body: {} });
  expect(origins).toEqual(['main']);
  await rig.until('begun', async () => (await rig.show(convoy)).branch_pending === null);
});
