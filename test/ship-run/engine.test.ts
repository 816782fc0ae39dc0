import { expect, test } from 'vitest';
import { driveRun } from '../../src/engine/ship/drive-run.ts';
import { shipPasses } from '../../src/engine/ship/ship-loop.ts';
import type { ShipWorld } from '../../src/engine/ship/world.ts';
import { decideOn } from '../../src/ledger/approvals.ts';
import { approvalList } from '../../src/ledger/queries/approval-list.ts';
import { changeRun } from '../../src/ledger/runs.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { effectsOf, openRun, openWorld, readRun, type Script } from './rig.ts';
import { drive, onOwnLedgers, resume } from './run-steps.ts';
import { git, SERVICE, tempDir, write } from './temp.ts';

const never = new AbortController().signal;
const BROKEN = { status: 'no-evidence', why: 'nothing answered' } as const;

async function decide(world: ShipWorld, run: string, verdict: 'approve' | 'reject') {
  const [approval] = await approvalList(world.ledger.db, { subject: run, limit: 10 });
  if (approval === undefined) throw new Error('nothing was asked');
  await world.ledger.write('operator:ada', (tx) =>
    decideOn(tx, approval.id, { verdict, channel: 'cli', reason: 'because', subjectHash: null }),
  );
}

const untilStopped = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

const stagesOf = async (world: ShipWorld, run: string): Promise<string[]> =>
  (await readRun(world.ledger, run)).stages.map(
    ({ stage, lane, status, round }) => `${stage} ${lane ?? '*'} ${status} ${round}`,
  );

const { placeIn, begin } = onOwnLedgers();

test('a run rehearses before it asks, and asks before it writes', async () => {
  using temp = tempDir();
  const { world, run } = await begin(temp.path);
  expect((await drive(world, run)).status).toBe('awaiting_approval');
  expect(effectsOf(temp.path)).toEqual(['rehearse hello']);
  await decide(world, run, 'approve');
  expect((await drive(world, run)).status).toBe('succeeded');
  expect(effectsOf(temp.path).map((line) => line.split(' ')[0])).toEqual(['rehearse', 'branch']);
  expect(await stagesOf(world, run)).toEqual([
    'scan hello succeeded 1',
    'pick hello succeeded 1',
    'rehearse hello succeeded 1',
    'author * succeeded 2',
  ]);
  expect((await verifyLedger(world.ledger.db)).problems).toEqual([]);
  await world.ledger.close();
});

test('DC-38 what is waited for stands in the ledger, bound to what was shown', async () => {
  using temp = tempDir();
  const { world, run, plan } = await begin(temp.path);
  await drive(world, run);
  const [approval] = await approvalList(world.ledger.db, { subject: run, limit: 10 });
  expect(approval).toMatchObject({ kind: 'open_pr', status: 'pending', lane: null });
  expect(approval?.details).toMatchObject({ branch: `convoy/${plan.id}`, forge: 'none' });
  expect((await readRun(world.ledger, run)).waiting?.approval).toBe(approval?.id);
  await world.ledger.close();
});

test('a driver that waits goes on as soon as somebody says yes', async () => {
  using temp = tempDir();
  const { world, run } = await begin(temp.path);
  const driving = drive(world, run, true);
  while ((await readRun(world.ledger, run)).status !== 'awaiting_approval')
    await world.ledger.changes.next(AbortSignal.timeout(5_000));
  await decide(world, run, 'approve');
  expect((await driving).status).toBe('succeeded');
  await world.ledger.close();
});

test('a run that approves by itself says that nobody did', async () => {
  using temp = tempDir();
  const { world, run } = await begin(temp.path, {}, { autoApprove: true });
  expect((await drive(world, run)).status).toBe('succeeded');
  const [approval] = await approvalList(world.ledger.db, { subject: run, limit: 10 });
  expect(approval?.decision?.channel).toBe('auto');
  await world.ledger.close();
});

test('DC-46 a rejected gate ends the run as rejected and writes nothing', async () => {
  using temp = tempDir();
  const { world, run } = await begin(temp.path);
  await drive(world, run);
  await decide(world, run, 'reject');
  const ended = await drive(world, run);
  expect(ended.status).toBe('rejected');
  expect(ended.reason).toBe('open_pr was rejected by operator:ada: because');
  expect(effectsOf(temp.path)).toEqual(['rehearse hello']);
  await world.ledger.close();
});

test('a breach brings a diagnosis, waits for the fix, and rehearses again afterwards', async () => {
  using temp = tempDir();
  const verdicts = [BROKEN, { status: 'healthy', why: 'mended' } as const];
  const { world, run, repo } = await begin(temp.path, { verdicts }, { autoApprove: true });
  const waiting = await drive(world, run);
  expect(waiting.status).toBe('awaiting_fix');
  expect(waiting.diagnoses.map(({ rootCause }) => rootCause)).toEqual(['PORT is not read']);
  expect(effectsOf(temp.path)).toEqual(['rehearse hello']);
  write(repo, { 'server.js': `${SERVICE['server.js']}// mended\n` });
  await resume(world, run);
  expect((await drive(world, run)).status).toBe('succeeded');
  // The tree is another one, so everything that looked at it looked again.
  expect(await stagesOf(world, run)).toEqual([
    'scan hello succeeded 2',
    'pick hello succeeded 2',
    'rehearse hello succeeded 2',
    'author * succeeded 1',
  ]);
  await world.ledger.close();
});

test('DC-40 a new commit makes every stage run again, an unchanged tree none', async () => {
  using temp = tempDir();
  const { world, run, repo } = await begin(temp.path);
  await drive(world, run);
  await resume(world, run);
  await drive(world, run);
  expect(effectsOf(temp.path)).toHaveLength(1);
  write(repo, { 'server.js': `${SERVICE['server.js']}// newer\n` });
  git(repo, 'commit', '--quiet', '--all', '--message=two');
  await resume(world, run);
  await drive(world, run);
  expect(effectsOf(temp.path)).toHaveLength(2);
  await resume(world, run, true);
  await drive(world, run);
  expect(effectsOf(temp.path)).toHaveLength(3);
  await world.ledger.close();
});

test("DC-64 what is Convoy's own is made again at most twice", async () => {
  using temp = tempDir();
  const script: Script = { verdicts: [BROKEN], owned: 'convoy' };
  const { world, run } = await begin(temp.path, script);
  const ended = await drive(world, run);
  expect(ended.status).toBe('awaiting_fix');
  expect(effectsOf(temp.path)).toHaveLength(3);
  expect(ended.diagnoses).toHaveLength(3);
  await world.ledger.close();
});

const dockerfile = (files: readonly { path: string; content: string }[]): string =>
  files.find(({ path }) => path === 'Dockerfile')?.content ?? 'none';

test("DC-64 a file of Convoy's own comes out anew, is rehearsed, shown and written", async () => {
  using temp = tempDir();
  const seen: string[] = [];
  const written: string[] = [];
  const { world, run } = await begin(temp.path, {
    onWrite: (files) => written.push(dockerfile(files)),
    verdicts: [BROKEN, { status: 'healthy', why: 'mended' }],
    owned: 'convoy',
    blames: 'Dockerfile',
    improveFiles: async (files) =>
      new Map(files.map(({ path, content }) => [path, `${content}# better\n`])),
    onRequest: ({ overlay = [] }) => seen.push(dockerfile(overlay)),
  });
  expect((await drive(world, run)).status).toBe('awaiting_approval');
  const [first = '', second] = seen;
  expect(first).toContain('FROM ');
  const better = `${first}# better\n`;
  expect(second).toBe(better);
  const rehearsed = (await readRun(world.ledger, run)).stages.find(
    ({ stage }) => stage === 'rehearse',
  );
  expect(rehearsed?.evidence['repairs']).toMatchObject([
    { round: 1, cause: 'PORT is not read', rewrote: expect.arrayContaining(['Dockerfile']) },
  ]);
  const [approval] = await approvalList(world.ledger.db, { subject: run, limit: 10 });
  expect(approval?.details['files']).toEqual(
    expect.arrayContaining([expect.objectContaining({ path: 'Dockerfile', content: better })]),
  );
  await decide(world, run, 'approve');
  expect((await drive(world, run)).status).toBe('succeeded');
  expect(written).toEqual([better]);
  await world.ledger.close();
});

test('a rehearsal is held against the last run that succeeded', async () => {
  using temp = tempDir();
  const stats = { p50: 1, p95: 2, p99: 3, errorRate: 0, samples: 75, rssBytes: null };
  const requests: unknown[] = [];
  const script: Script = {
    report: { stats },
    onRequest: ({ previous }) => requests.push(previous),
  };
  const { world, run, repo } = await begin(temp.path, script, { autoApprove: true });
  await drive(world, run);
  const more = { ...SERVICE, 'notes.txt': 'newer' };
  const second = await openRun(temp.path, world, { autoApprove: true }, more);
  expect(second.repo).toBe(repo);
  await drive(world, second.run);
  expect(requests).toEqual([null, stats]);
  await world.ledger.close();
});

test('no answer is tried once more and then pauses the run, without a diagnosis', async () => {
  using temp = tempDir();
  const errored = { status: 'errored', step: 'copy', why: 'the disk is full' } as const;
  const { world, run } = await begin(temp.path, { verdicts: [errored] });
  const ended = await drive(world, run);
  expect(ended).toMatchObject({ status: 'paused', reason: 'the disk is full', diagnoses: [] });
  expect(effectsOf(temp.path)).toHaveLength(2);
  await world.ledger.close();
});

test('DC-43 a failed lane does not keep the others from being tried', async () => {
  using temp = tempDir();
  const files = {
    'package.json': JSON.stringify({ private: true, workspaces: ['api', 'jobs'] }),
    'api/package.json': JSON.stringify({ name: 'api', scripts: { start: 'node a.js' } }),
    'api/a.js': SERVICE['server.js'].replaceAll('import', '// import'),
    'jobs/package.json': JSON.stringify({ name: 'jobs', scripts: { start: 'node j.js' } }),
    'jobs/j.js': SERVICE['server.js'].replaceAll('import', '// import'),
  };
  const verdicts = [BROKEN, { status: 'healthy', why: 'ok' } as const];
  const world = await openWorld(temp.path, placeIn(temp.path), { verdicts });
  const { run, plan } = await openRun(temp.path, world, {}, files);
  expect(plan.lanes.map(({ name }) => name)).toEqual(['api', 'jobs']);
  const ended = await drive(world, run);
  expect(ended.status).toBe('awaiting_fix');
  expect(
    ended.stages.filter(({ stage }) => stage === 'rehearse').map(({ status }) => status),
  ).toEqual(['failed', 'succeeded']);
  await world.ledger.close();
});

test('DC-42 options of the apply hold for the resume, values of variables included', async () => {
  using temp = tempDir();
  const { world, run } = await begin(temp.path, {}, { env: ['TOKEN'] });
  await world.variables.keep(run, { TOKEN: 'v3ry-s3cret' });
  await drive(world, run);
  await resume(world, run, true);
  await drive(world, run);
  expect(effectsOf(temp.path)).toEqual(['rehearse hello TOKEN', 'rehearse hello TOKEN']);
  const events = await world.ledger.db.selectFrom('event').select('data').execute();
  expect(events.some(({ data }) => data.includes('v3ry-s3cret'))).toBe(false);
  await world.ledger.close();
});

test('stages that were not wanted are skipped and said to be', async () => {
  using temp = tempDir();
  const options = { realRehearsal: false, realAuthor: false };
  const { world, run } = await begin(temp.path, {}, options);
  expect((await drive(world, run)).status).toBe('succeeded');
  expect(effectsOf(temp.path)).toEqual([]);
  expect((await stagesOf(world, run)).slice(2)).toEqual([
    'rehearse hello skipped 1',
    'author * skipped 1',
  ]);
  await world.ledger.close();
});

test('DC-44 a run has one driver at a time', async () => {
  using temp = tempDir();
  const going = Promise.withResolvers<void>();
  const { world, run } = await begin(temp.path, { during: () => going.promise });
  const first = drive(world, run);
  while (effectsOf(temp.path).length === 0)
    await world.ledger.changes.next(AbortSignal.timeout(5_000));
  const other = await openWorld(temp.path, placeIn(temp.path));
  const second = await driveRun(other, run, { wait: false, signal: never });
  expect(!second.ok && second.error.kind).toBe('held-by-another');
  going.resolve();
  expect((await first).status).toBe('awaiting_approval');
  await other.ledger.close();
  await world.ledger.close();
});

test('DC-45 a stop leaves the run interrupted and its gate decidable', async () => {
  using temp = tempDir();
  const { world, run } = await begin(temp.path);
  const stop = new AbortController();
  const driving = driveRun(world, run, { wait: true, signal: stop.signal });
  while ((await readRun(world.ledger, run)).status !== 'awaiting_approval')
    await world.ledger.changes.next(AbortSignal.timeout(5_000));
  stop.abort();
  const stopped = await driving;
  expect(stopped.ok && stopped.value.status).toBe('interrupted');
  await decide(world, run, 'approve');
  await resume(world, run);
  expect((await drive(world, run)).status).toBe('succeeded');
  await world.ledger.close();
});

test('a cancelled run lets go of what it has under way', async () => {
  using temp = tempDir();
  const { world, run } = await begin(temp.path, { during: untilStopped });
  const driving = drive(world, run);
  while (effectsOf(temp.path).length === 0)
    await world.ledger.changes.next(AbortSignal.timeout(5_000));
  await world.ledger.write('operator:ada', (tx) =>
    changeRun(tx, run, { type: 'end', status: 'cancelled', reason: 'no longer wanted' }),
  );
  expect((await driving).status).toBe('cancelled');
  await world.ledger.close();
});

test('the engine takes up what was asked for, and what was decided meanwhile', async () => {
  using temp = tempDir();
  const { world, run } = await begin(temp.path);
  const passes = shipPasses(world, (line) => {
    throw new Error(line);
  });
  const until = async (status: string): Promise<void> => {
    while ((await readRun(world.ledger, run)).status !== status) {
      await world.ledger.changes.next(AbortSignal.timeout(5_000));
      await passes.pass();
    }
  };
  await passes.pass();
  await until('awaiting_approval');
  await decide(world, run, 'approve');
  await passes.pass();
  await until('succeeded');
  await passes.stop();
  expect(effectsOf(temp.path).map((line) => line.split(' ')[0])).toEqual(['rehearse', 'branch']);
  await world.ledger.close();
});
