import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from '../fakes/model-server/server.ts';
import { serveGit } from '../fakes/git-http.ts';
import { call, inTurn } from '../model/rig.ts';
import { convoyIn } from './cli.ts';
import { git, repository, SERVICE, tempDir, write } from './temp.ts';

const WORDS = {
  summary: 'hello goes to this machine.',
  narrative: 'I start hello with `node server.js` and would run it on local.',
};
let server: ModelServer;
beforeAll(async () => {
  server = await startModelServer({
    good: inTurn(call({ name: 'write_words', input: WORDS })),
    refused: inTurn({ kind: 'status', status: 401 }),
  });
});
afterAll(() => server[Symbol.asyncDispose]());

const keyed = (scenario: string) => ({
  ANTHROPIC_API_KEY: 'sk-ant-test-0123456789abcdef',
  ANTHROPIC_BASE_URL: `${server.url}/s/${scenario}`,
});

test('a model words the plan where there is a key, unless it is told not to', async () => {
  using temp = tempDir();
  repository(join(temp.path, 'app'), SERVICE);
  const asks = ['plan', 'app', '--platform', 'local'];
  const with_ = await convoyIn(temp.path, keyed('good~a'));
  const worded = await with_.json(temp.path, ...asks);
  expect(worded.body.plan).toMatchObject({ ...WORDS, wording: { by: 'model', because: null } });
  const before = server.asked.length;
  const plain = await with_.json(temp.path, ...asks, '--no-ai');
  expect(server.asked).toHaveLength(before);
  expect(plain.body.plan.wording).toEqual({ by: 'template', because: null });
  // However it is worded, it is the same plan.
  expect(plain.body.plan.id).toBe(worded.body.plan.id);
  const without = await (await convoyIn(temp.path)).json(temp.path, ...asks, '--ai');
  expect(without).toMatchObject({ code: 1, body: { error: { code: 'no_model' } } });
});

test('DC-10 a model that does not answer costs the words, not the plan; stdout stays one document', async () => {
  using temp = tempDir();
  repository(join(temp.path, 'app'), SERVICE);
  const convoy = await convoyIn(temp.path, keyed('refused~b'));
  const { code, body, err } = await convoy.json(temp.path, 'plan', 'app', '--save');
  expect(code).toBe(0);
  expect(body.plan.wording).toMatchObject({ by: 'template', because: expect.stringMatching(/./) });
  expect(err).toContain("words are Convoy's own");
  expect(JSON.stringify(body)).not.toContain('sk-ant-test');
});

test('a part of a monorepo is planned alone, and an application on Fly.io has the name that was asked for', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), {
    'package.json': JSON.stringify({ private: true, workspaces: ['apps/*'] }),
    'apps/api/package.json': JSON.stringify({ name: 'api', scripts: { start: 'node server.js' } }),
    'apps/api/server.js': SERVICE['server.js'].replace(
      "import { createServer } from 'node:http'",
      "const { createServer } = require('node:http')",
    ),
    'apps/jobs/package.json': JSON.stringify({
      name: 'jobs',
      scripts: { start: 'node server.js' },
    }),
    'apps/jobs/server.js': SERVICE['server.js'].replace(
      "import { createServer } from 'node:http'",
      "const { createServer } = require('node:http')",
    ),
  });
  const plan = (...more: string[]) => convoy.json(repo, 'plan', '.', '--platform', 'fly', ...more);
  const names = ({ body }: Awaited<ReturnType<typeof plan>>) =>
    body.plan.lanes.map(({ name }: { name: string }) => name);
  expect(names(await plan())).toEqual(['api', 'jobs']);
  expect(names(await plan('--workspace', 'apps/api'))).toEqual(['api']);
  expect((await plan('--workspace', 'none')).code).toBe(3);
  const named = await plan('--save', '--workspace', 'api', '--fly-app', 'my-shop');
  const manifest = named.body.plan.files.find(({ path }: { path: string }) =>
    path.endsWith('fly.toml'),
  );
  expect(manifest.content).toContain('app = "my-shop"');
  expect((await plan('--fly-app', 'my-shop')).body.error.code).toBe('many_fly_lanes');
  const { id } = named.body.plan;
  const other = await convoy.json(repo, 'apply', id, '--fly-app', 'another');
  expect(other).toMatchObject({ code: 1, body: { error: { code: 'another_fly_app' } } });
  const same = await convoy.json(repo, 'apply', id, '--fly-app', 'my-shop', '--no-real-rehearsal');
  expect(same.code).toBe(5);
  const local = await convoy.json(repo, 'plan', '.', '--platform', 'local', '--fly-app', 'x');
  expect(local).toMatchObject({ code: 2, body: { error: { code: 'no_fly_lane' } } });
});

test('what cannot be done is refused with the reason, never left out', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), SERVICE);
  const ship = (...more: string[]) => convoy.json(repo, 'ship', '.', ...more);
  expect(await ship('--fix', 'agent')).toMatchObject({
    code: 1,
    body: { error: { code: 'fix_by_agent' } },
  });
  expect((await ship('--fix', 'magic')).code).toBe(2);
  for (const stage of ['canary', 'promote', 'observe'])
    expect(await convoy.json(repo, 'ship', '--demo', '--inject-failure', stage)).toMatchObject({
      code: 2,
      body: { error: { code: 'no_such_stage' } },
    });
  expect(await convoy.json(repo, 'plan', '.', '--open')).toMatchObject({
    code: 2,
    body: { error: { code: 'open_needs_save' } },
  });
  const opened = await convoy.json(repo, 'plan', '.', '--save', '--open');
  expect(opened.code).toBe(0);
  expect(opened.err).toContain('Not opened: Nothing is served');
  expect((await convoy.json(repo, 'runs')).body.runs).toEqual([]);
});

test('a failure at the author writes nothing and says that it was on purpose', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  write(temp.path, { 'here/notes.txt': '' });
  const place = join(temp.path, 'here');
  const asks = ['ship', '--demo', '--yes', '--no-real-rehearsal', '--inject-failure', 'author'];
  const { code, body } = await convoy.json(place, ...asks);
  expect(code).toBe(5);
  expect(body.run).toMatchObject({ status: 'paused', demo: true });
  expect(body.run.reason).toContain('on purpose');
  const demo = join(place, '.convoy', 'demo', 'service');
  expect(git(demo, 'branch', '--list', 'convoy/*')).toBe('');
});

test('an edited plan is listed as such, not hidden', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), SERVICE);
  const { body } = await convoy.json(repo, 'plan', '.', '--save');
  const file = join(repo, '.convoy', 'plans', `${body.plan.id}.json`);
  // The words are sealed too, although they are no part of the hash.
  writeFileSync(file, readFileSync(file, 'utf8').replace('I found one service', 'I found nothing'));
  const listed = await convoy.json(repo, 'plans');
  expect(listed.body.plans).toMatchObject([{ id: body.plan.id, state: 'edited', lanes: [] }]);
  expect((await convoy.run(repo, 'plans')).out).toMatch(/Refused:/);
  const shown = await convoy.json(repo, 'show', body.plan.id);
  expect(shown).toMatchObject({ code: 1, body: { error: { code: 'plan_edited' } } });
});

test('an address is planned and shipped from a clone, refreshed, and taken as it was when offline', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const origin = repository(join(temp.path, 'origin'), SERVICE);
  git(temp.path, 'clone', '--quiet', '--bare', origin, join(temp.path, 'served', 'hello.git'));
  const web = await serveGit(join(temp.path, 'served'));
  const place = join(temp.path, 'here');
  write(place, { 'notes.txt': '' });
  try {
    const address = `${web.url}/hello.git`;
    const first = await convoy.json(place, 'plan', address, '--save');
    expect(first.body.plan.repo).toMatchObject({ origin: 'clone', source: address });
    const run = await convoy.json(
      place,
      'apply',
      first.body.plan.id,
      '--yes',
      '--no-real-rehearsal',
    );
    expect(run).toMatchObject({ code: 0, body: { run: { status: 'succeeded' } } });
    write(origin, { 'notes.txt': 'newer' });
    git(origin, 'add', '--all');
    git(origin, 'commit', '--quiet', '--message=two');
    git(origin, 'push', '--quiet', join(temp.path, 'served', 'hello.git'), 'main');
    const second = await convoy.json(place, 'plan', address, '--save');
    expect(second.body.plan.repo.sha).toBe(git(origin, 'rev-parse', 'HEAD'));
    // The clone went on, so the first plan is about another commit.
    expect((await convoy.json(place, 'apply', first.body.plan.id)).body.error.code).toBe(
      'plan_stale',
    );
    web.fail(503);
    const offline = await convoy.json(place, 'plan', address);
    expect(offline.code).toBe(0);
    expect(offline.body.plan.risks).toMatchObject([{ code: 'stale-clone' }]);
    const unknown = await convoy.json(place, 'plan', `${web.url}/none.git`);
    expect(unknown).toMatchObject({ code: 3, body: { error: { code: 'clone_failed' } } });
  } finally {
    await web.close();
  }
}, 60_000);

test('owner/name means GitHub, whose address a git setting may lead elsewhere', async () => {
  using temp = tempDir();
  const origin = repository(join(temp.path, 'origin'), SERVICE);
  git(
    temp.path,
    'clone',
    '--quiet',
    '--bare',
    origin,
    join(temp.path, 'served', 'octo', 'web.git'),
  );
  const web = await serveGit(join(temp.path, 'served'));
  const config = join(temp.path, 'gitconfig');
  write(temp.path, {
    gitconfig: `[url "${web.url}/"]\n\tinsteadOf = https://github.com/\n`,
    'here/x': '',
  });
  const convoy = await convoyIn(temp.path, { GIT_CONFIG_GLOBAL: config });
  try {
    const { code, body } = await convoy.json(join(temp.path, 'here'), 'plan', 'octo/web');
    expect(code).toBe(0);
    expect(body.plan.repo).toMatchObject({ source: 'octo/web', origin: 'clone' });
  } finally {
    await web.close();
  }
});

test('what a yes is bound to can be looked at, in 80 columns', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), SERVICE);
  write(repo, { 'server.js': `${SERVICE['server.js']}// mended by hand\n` });
  const { body } = await convoy.json(repo, 'ship', '.', '--no-real-rehearsal');
  const { id } = body.run.approvals[0];
  expect(body.run.approvals[0].summary).toContain('your uncommitted server.js');
  const { code, out } = await convoy.run(repo, 'show', id);
  expect(code).toBe(0);
  expect(out).toContain('+// mended by hand');
  expect(out).toContain('create Dockerfile');
  expect(out).toMatch(/rehearsal\s+hello skipped/);
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
});
