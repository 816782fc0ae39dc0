import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { convoyIn } from './cli.ts';
import { git, repository, SERVICE, tempDir, write } from './temp.ts';

test('plan needs no workspace, prints one document and leaves nothing behind', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), SERVICE);
  const { code, body } = await convoy.json(temp.path, 'plan', 'app');
  expect(code).toBe(0);
  expect(body.plan).toMatchObject({
    deployable: true,
    repo: { name: 'app', sha: git(repo, 'rev-parse', 'HEAD') },
    lanes: [
      {
        name: 'hello',
        kind: 'backend',
        ecosystem: 'node',
        start: 'node server.js',
        start_via: 'npm run start',
        port: 3000,
        health_path: '/health',
      },
    ],
  });
  expect(existsSync(join(temp.path, '.convoy'))).toBe(false);
  expect(git(repo, 'status', '--porcelain', '--ignored')).toBe('');
});

test('plan says no more than 80 columns at a time, and what to do next', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  repository(join(temp.path, 'app'), SERVICE);
  const { out } = await convoy.run(temp.path, 'plan', 'app');
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  expect(out).toContain('Nothing was kept.');
});

test('what is not there ends with 3, a library with a reason', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  expect((await convoy.json(temp.path, 'plan', 'nothing')).code).toBe(3);
  write(join(temp.path, 'lib'), {
    'package.json': JSON.stringify({ name: 'lib', version: '1.0.0', main: 'index.js' }),
    'index.js': 'module.exports = 1;',
  });
  const { code, body } = await convoy.json(temp.path, 'plan', 'lib', '--save');
  expect(code).toBe(0);
  expect(body.plan).toMatchObject({ deployable: false, lanes: [], steps: [] });
  expect(body.plan.reason).not.toBe('');
  const applied = await convoy.json(temp.path, 'apply', body.plan.id);
  expect(applied.code).toBe(1);
  expect(applied.body.error.code).toBe('not_deployable');
  expect((await convoy.json(temp.path, 'apply', 'plan-none')).code).toBe(3);
  expect((await convoy.json(temp.path, 'show', 'plan-none')).code).toBe(3);
});

test('saved plans are listed and shown by a prefix; CONVOY_PLANS_DIR moves them', async () => {
  using temp = tempDir();
  const plans = join(temp.path, 'elsewhere');
  const convoy = await convoyIn(temp.path, { CONVOY_PLANS_DIR: plans });
  repository(join(temp.path, 'app'), SERVICE);
  const { body } = await convoy.json(temp.path, 'plan', 'app', '--save', '--platform', 'fly');
  expect(readdirSync(plans)).toEqual([`${body.plan.id}.json`]);
  expect(body.plan.lanes[0].platform.chosen).toBe('fly');
  const listed = await convoy.json(temp.path, 'plans');
  expect(listed.body.plans.map(({ id }: { id: string }) => id)).toEqual([body.plan.id]);
  const shown = await convoy.json(temp.path, 'show', body.plan.id.slice(0, 8));
  expect(shown.body.plan).toEqual(body.plan);
  const text = await convoy.run(temp.path, 'show', body.plan.id, '--files');
  expect(text.out).toContain('FROM ');
});

test('DC-13 an edited plan is refused, a changed repository unless it is allowed', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), SERVICE);
  const { body } = await convoy.json(repo, 'plan', '.', '--save');
  const { id } = body.plan;
  write(repo, { 'server.js': `${SERVICE['server.js']}\n// changed` });
  const stale = await convoy.json(repo, 'apply', id, '--no-real-rehearsal');
  expect(stale.code).toBe(4);
  expect(stale.body.error).toMatchObject({ code: 'plan_stale' });
  expect(stale.body.error.message).toContain('server.js');
  const without = ['--no-real-rehearsal', '--no-real-author'];
  const allowed = await convoy.json(repo, 'apply', id, ...without, '--allow-drift');
  expect(allowed.code).toBe(0);
  const file = join(repo, '.convoy', 'plans', `${id}.json`);
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('node server.js', 'node other.js'));
  const edited = await convoy.json(repo, 'apply', id);
  expect(edited.code).toBe(1);
  expect(edited.body.error.code).toBe('plan_edited');
});

test('an apply waits at its gate with 5, one at a time, and goes on after the yes', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), SERVICE);
  const { body } = await convoy.json(repo, 'plan', '.', '--save', '--platform', 'local');
  const { id } = body.plan;
  const first = await convoy.json(repo, 'apply', id, '--no-real-rehearsal');
  expect(first.code).toBe(5);
  const { run } = first.body;
  expect(run).toMatchObject({ plan_id: id, status: 'awaiting_approval', diagnosis: null });
  expect(run.approvals).toMatchObject([{ kind: 'open_pr', status: 'pending', lane: null }]);
  const second = await convoy.json(repo, 'apply', id, '--no-real-rehearsal');
  expect(second.code).toBe(4);
  expect(second.body.error.code).toBe('run_under_way');
  expect((await convoy.json(repo, 'resume', run.id)).code).toBe(5);
  await convoy.json(repo, 'approve', run.approvals[0].id);
  const before = git(repo, 'status', '--porcelain=v2', '--branch');
  const done = await convoy.json(repo, 'resume');
  expect(done.code).toBe(0);
  expect(done.body.run.status).toBe('succeeded');
  expect(
    done.body.run.stages.map(({ stage, status }: Record<string, string>) => [stage, status]),
  ).toEqual([
    ['scan', 'succeeded'],
    ['pick', 'succeeded'],
    ['rehearse', 'skipped'],
    ['author', 'succeeded'],
  ]);
  // The files are on the branch and nowhere else.
  expect(git(repo, 'show', '--name-only', '--format=', `convoy/${id}`)).toContain('Dockerfile');
  expect(git(repo, 'status', '--porcelain=v2', '--branch')).toBe(before);
  expect((await convoy.json(repo, 'status', run.id)).body.run.status).toBe('succeeded');
  expect((await convoy.json(repo, 'runs')).body.runs).toHaveLength(1);
  const again = await convoy.json(repo, 'resume', run.id);
  expect(again.code).toBe(1);
  expect((await convoy.json(repo, 'ledger', 'verify')).code).toBe(0);
});

test('a run can be given up, rejected, and resumed only when there is something to resume', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), SERVICE);
  const none = await convoy.json(repo, 'runs');
  expect(none.code).toBe(3);
  const shipped = await convoy.json(repo, 'ship', '.', '--no-real-rehearsal');
  expect(shipped.code).toBe(5);
  const { id, approvals } = shipped.body.run;
  const cancelled = await convoy.json(repo, 'cancel', id, '--reason', 'not today');
  expect(cancelled.body.run).toMatchObject({ status: 'cancelled', reason: 'not today' });
  expect(cancelled.body.run.approvals[0].status).toBe('void');
  expect((await convoy.json(repo, 'approve', approvals[0].id)).code).toBe(4);
  expect((await convoy.json(repo, 'cancel', id)).code).toBe(1);
  expect((await convoy.json(repo, 'resume')).code).toBe(3);
  const next = await convoy.json(repo, 'ship', '.', '--no-real-rehearsal');
  await convoy.json(repo, 'reject', next.body.run.approvals[0].id);
  const rejected = await convoy.json(repo, 'resume', next.body.run.id);
  expect(rejected.code).toBe(1);
  expect(rejected.body.run.status).toBe('rejected');
  expect(git(repo, 'branch', '--list', 'convoy/*')).toBe('');
});

test('the text of a run stands out and says what comes next', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), SERVICE);
  const { code, out } = await convoy.run(repo, 'ship', '.', '--no-real-rehearsal');
  expect(code).toBe(5);
  expect(out).toMatch(/^╭─+╮$/m);
  expect(out).toMatch(/^convoy │ ✓ scan hello$/m);
  expect(out).toMatch(/^Next: convoy approve ap-\w+, then convoy resume run-\w+$/m);
  expect(out.split('\n').filter((line) => line.length > 80)).toEqual([]);
  const quiet = await convoy.run(repo, 'resume', '--quiet');
  expect(quiet.out).not.toMatch(/╭|convoy │/);
});

test('wrong words are told before anything happens', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), SERVICE);
  expect((await convoy.run(repo, 'ship', '.', '--env', 'just-a-secret')).code).toBe(2);
  const said = await convoy.run(repo, 'ship', '.', '--env', 'just-a-secret');
  expect(said.err).not.toContain('just-a-secret');
  expect((await convoy.run(repo, 'ship', '.', '--env-file', 'none.env')).code).toBe(3);
  expect((await convoy.run(repo, 'ship', '.', '--inject-failure', 'rehearse')).code).toBe(2);
  expect((await convoy.run(repo, 'ship', '.', '--demo')).code).toBe(2);
  expect((await convoy.run(repo, 'plan', '.', '--platform', 'moon')).code).toBe(2);
});

test('a demo ships the example service for real and says that it is a demo', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const place = join(temp.path, 'here');
  write(place, { 'notes.txt': '' });
  const { code, body, err } = await convoy.json(place, 'ship', '--demo', '--yes');
  expect({ code, err }).toMatchObject({ code: 0 });
  expect(body.run).toMatchObject({ status: 'succeeded', demo: true });
  const rehearsed = body.run.stages.find(({ stage }: { stage: string }) => stage === 'rehearse');
  expect(rehearsed.evidence).toMatchObject({ verdict: 'healthy', health_path: '/health' });
  expect(rehearsed.evidence.load.errorRate).toBe(0);
  const injected = await convoy.json(place, 'ship', '--demo', '--inject-failure', 'rehearse');
  expect(injected.code).toBe(5);
  expect(injected.body.run).toMatchObject({ status: 'awaiting_fix', demo: true });
  const overview = await convoy.json(place, 'status');
  expect(overview.body.needs_me).toMatchObject([
    { id: injected.body.run.id, kind: 'awaiting_fix' },
  ]);
  expect(injected.body.run.diagnosis).toMatchObject({ owned: 'developer', classification: 'code' });
  expect(
    injected.body.run.diagnosis.evidence.some(
      ({ file }: { file?: string }) => file === 'server.js',
    ),
  ).toBe(true);
});

test('rehearse shows whether a service starts, and why it does not', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  repository(join(temp.path, 'app'), SERVICE);
  const well = await convoy.json(temp.path, 'rehearse', 'app');
  expect(well).toMatchObject({ code: 0 });
  expect(well.body.rehearsal).toMatchObject({
    ok: true,
    lanes: [{ lane: 'hello', status: 'succeeded' }],
  });
  write(join(temp.path, 'app'), { 'server.js': "import 'left-out';\n" });
  const ill = await convoy.json(temp.path, 'rehearse', 'app');
  expect(ill.code).toBe(1);
  expect(ill.body.rehearsal.lanes[0].diagnosis.root_cause).toContain('left-out');
  expect((await convoy.json(temp.path, 'rehearse', 'app', '--lane', 'none')).code).toBe(3);
  expect(existsSync(join(temp.path, '.convoy'))).toBe(false);
});

test('a daemon carries a run out, and goes on by itself after the yes', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), SERVICE);
  await convoy.json(repo, 'init');
  await convoy.json(repo, 'up', '--detach');
  try {
    const shipped = await convoy.json(repo, 'ship', '.', '--no-real-rehearsal');
    expect(shipped).toMatchObject({ code: 5, body: { run: { status: 'awaiting_approval' } } });
    const { id, approvals, dashboard } = shipped.body.run;
    expect(dashboard).toMatch(new RegExp(`/runs/${id}$`));
    await convoy.json(repo, 'approve', approvals[0].id);
    const over = ['events', '--follow', '--kind', 'run-ended', '--subject', id, '--limit', '1'];
    expect((await convoy.json(repo, ...over)).body.data).toMatchObject({ status: 'succeeded' });
    expect((await convoy.json(repo, 'status', id)).body.run.status).toBe('succeeded');
  } finally {
    await convoy.run(repo, 'down');
  }
});

test('DC-45 Ctrl-C leaves a run interrupted, exits 130, and resume goes on', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), SERVICE);
  const waiting = convoy.start(repo, 'ship', '.', '--no-real-rehearsal', '--wait');
  await seen(waiting, /convoy approve ap-/);
  waiting.child.kill('SIGINT');
  expect((await waiting.ended).code).toBe(130);
  const { body } = await convoy.json(repo, 'runs');
  expect(body.runs[0]).toMatchObject({ status: 'interrupted', approvals: [{ status: 'pending' }] });
  expect((await convoy.json(repo, 'resume', '--yes')).body.run.status).toBe('succeeded');
});

test('DC-37 a killed apply is seen as interrupted at the next command and can be resumed', async () => {
  using temp = tempDir();
  const convoy = await convoyIn(temp.path);
  const repo = repository(join(temp.path, 'app'), {
    ...SERVICE,
    'server.js': `setInterval(() => {}, 1000);\n`,
  });
  const started = convoy.start(repo, 'ship', '.', '--yes');
  await seen(started, /start: npm run start/);
  started.child.kill('SIGKILL');
  expect((await started.ended).signal).toBe('SIGKILL');
  const { body } = await convoy.json(repo, 'runs');
  expect(body.runs[0].status).toBe('interrupted');
  const resumed = await convoy.json(repo, 'resume', '--no-real-rehearsal');
  expect(resumed.body.run.status).toBe('succeeded');
  rmSync(join(repo, '.convoy'), { recursive: true, force: true });
});

async function seen(
  started: ReturnType<Awaited<ReturnType<typeof convoyIn>>['start']>,
  what: RegExp,
) {
  while (!what.test(started.out())) {
    const more = new Promise((resolve) => started.child.stdout?.once('data', resolve));
    const over = await Promise.race([more.then(() => null), started.ended]);
    if (over !== null) throw new Error(`${over.out}${over.err}`);
  }
}
