import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { shipTools } from '../../src/daemon/ship-tools.ts';
import type { RunOptions } from '../../src/domain/ship/run/run-options.ts';
import type { Run } from '../../src/domain/ship/run/run.ts';
import { driveRun } from '../../src/engine/ship/drive-run.ts';
import { shipPasses } from '../../src/engine/ship/ship-loop.ts';
import type { ShipWorld } from '../../src/engine/ship/world.ts';
import { runAggregate } from '../../src/ledger/aggregates/run.ts';
import { decideOn } from '../../src/ledger/approvals.ts';
import { approvalList } from '../../src/ledger/queries/approval-list.ts';
import { changeRun } from '../../src/ledger/runs.ts';
import { type FakeGitHub, startGitHub } from '../fakes/github/server.ts';
import type { Hub } from '../fakes/github/hub.ts';
import { databaseOfTest } from '../postgres/ledger-of-test.ts';
import { openRun, openWorld, readRun } from '../ship-run/rig.ts';
import { git, tempDir } from '../ship-run/temp.ts';

const SLUG = 'acme/shop';

type Ship = {
  readonly world: ShipWorld;
  readonly github: FakeGitHub;
  readonly hub: Hub;
  readonly run: string;
  readonly plan: string;
  readonly repo: string;
  drive(): Promise<Run>;
  /** Says yes to whatever is asked. */
  yes(kind: string): Promise<void>;
  resume(): Promise<void>;
};

/** A real author, git and forge; only the rehearsal follows a script. */
async function ship(options: Partial<RunOptions> = {}, dirty = false): Promise<Ship> {
  const temp = tempDir();
  onTestFinished(() => temp[Symbol.dispose]());
  const dir = temp.path;
  const place = (await databaseOfTest()) ?? join(dir, 'ledger.db');
  const github = await startGitHub(dir);
  const hub = github.repository(SLUG);
  const env = {
    ...process.env,
    XDG_CACHE_HOME: join(dir, 'cache'),
    GITHUB_TOKEN: github.token,
    GITHUB_API_URL: github.apiUrl,
  };
  const scripted = await openWorld(dir, place);
  onTestFinished(() => scripted.ledger.close());
  const world: ShipWorld = {
    ...scripted,
    tools: { ...shipTools(env, async () => null) },
    lookMs: 20,
  };
  const { run, repo, plan } = await openRun(dir, world, options);
  git(repo, 'remote', 'add', 'origin', github.gitUrl(SLUG));
  git(repo, 'push', '--quiet', hub.bare.path, 'main');
  if (dirty) writeFileSync(join(repo, 'server.js'), '// mended\n');
  return {
    world,
    github,
    hub,
    run,
    repo,
    plan: plan.id,
    drive: async () => {
      const driven = await driveRun(world, run, {
        wait: false,
        signal: new AbortController().signal,
      });
      if (!driven.ok) throw new Error(driven.error.kind);
      return driven.value;
    },
    yes: async (kind) => {
      const [asked] = await approvalList(world.ledger.db, {
        subject: run,
        status: ['pending'],
        limit: 9,
      });
      expect(asked?.kind).toBe(kind);
      await world.ledger.write('mona', (tx) =>
        decideOn(tx, asked?.id ?? '', {
          verdict: 'approve',
          channel: 'cli',
          reason: null,
          subjectHash: null,
        }),
      );
    },
    resume: async () => {
      const { options: before } = await readRun(world.ledger, run);
      const changed = await world.ledger.write('mona', (tx) =>
        changeRun(tx, run, { type: 'resume', options: before, fresh: false }),
      );
      expect(changed.ok).toBe(true);
    },
  };
}

test('the pull request is opened after a yes, says what it carries, and is squashed after another', async () => {
  const rig = await ship({}, true);
  const asked = await rig.drive();
  expect(asked).toMatchObject({ status: 'awaiting_approval', waiting: { kind: 'open_pr' } });
  expect(asked.reason).toContain(`${SLUG}, with a pull request into main`);
  expect(rig.hub.pulls.size).toBe(0);
  await rig.yes('open_pr');
  const merging = await rig.drive();
  expect(merging).toMatchObject({ status: 'awaiting_approval', waiting: { kind: 'merge_pr' } });
  const pull = rig.hub.only();
  expect(pull).toMatchObject({ base: 'main', branch: `convoy/${rig.plan}` });
  // DC-34
  expect(pull.body).toContain('1 uncommitted file of the developer');
  expect(pull.body).toContain('`server.js`');
  expect(pull.body).toContain('**healthy**, it answered');
  expect(merging.stages.find(({ stage }) => stage === 'author')?.evidence).toMatchObject({
    forge: expect.stringContaining(SLUG),
    pull_request: { number: 1, base: 'main' },
  });
  await rig.yes('merge_pr');
  expect((await rig.drive()).status).toBe('succeeded');
  expect(rig.hub.bare.head('main')).toBe(pull.mergeCommit);
  expect(rig.hub.bare.git('rev-list', '--count', 'main')).toBe('2');
  expect(git(rig.repo, 'status', '--porcelain')).toBe('M server.js');
});

test('DC-34 nothing carried is said as such', async () => {
  const rig = await ship({ autoApprove: true });
  expect((await rig.drive()).status).toBe('succeeded');
  expect(rig.hub.only().body).toContain('no uncommitted file was carried');
});

test('DC-36 a protected branch pauses the run with a remedy, and a resume goes on', async () => {
  const rig = await ship({ autoApprove: true });
  rig.hub.protection = { approvals: 1, checks: [] };
  const paused = await rig.drive();
  expect(paused.status).toBe('paused');
  expect(paused.reason).toContain('approving review is required');
  expect(paused.reason).toContain('Give it what the branch protection asks for.');
  expect(paused.reason).toContain(`convoy resume ${rig.run}`);
  rig.hub.approve(1);
  await rig.resume();
  expect((await rig.drive()).status).toBe('succeeded');
  expect(rig.github.requests.filter((each) => each === 'POST /pulls')).toHaveLength(1);
});

test('DC-36 a head that moved and a closed pull request pause it too', async () => {
  const rig = await ship();
  await rig.drive();
  await rig.yes('open_pr');
  await rig.drive();
  await rig.yes('merge_pr');
  rig.hub.close(1, 'mona');
  expect((await rig.drive()).reason).toContain('closed without a merge by mona');
  rig.hub.reopen(1);
  const { bare } = rig.hub;
  const branch = `convoy/${rig.plan}`;
  bare.git(
    'update-ref',
    `refs/heads/${branch}`,
    bare.git('commit-tree', `${branch}^{tree}`, '-p', branch, '-m', 'mine'),
  );
  await rig.resume();
  expect((await rig.drive()).reason).toContain('pushed to by somebody else');
  expect(rig.hub.only().state).toBe('open');
});

test('--no-auto-merge leaves it to a person, and the loop notices the merge', async () => {
  const rig = await ship({ autoMerge: false, autoApprove: true });
  const passes = shipPasses(rig.world, () => {});
  onTestFinished(() => passes.stop());
  // A yes that is given by itself is waited for too, for a moment.
  const settled = async (status: string, because = ''): Promise<Run> => {
    for (;;) {
      const change = rig.world.ledger.changes.next(AbortSignal.timeout(50));
      await passes.pass();
      const run = (await runAggregate.load(rig.world.ledger.db, rig.run))?.state;
      if (run?.status === status && (run.reason ?? '').includes(because)) return run;
      await change;
    }
  };
  const waiting = await settled('awaiting_approval', 'yourself');
  expect(waiting.stages.some(({ status }) => status === 'failed')).toBe(false);
  expect(rig.github.requests.some((each) => each.startsWith('PUT'))).toBe(false);
  const commit = rig.hub.mergeByHand(1, 'squash');
  await settled('succeeded');
  expect(rig.hub.bare.head('main')).toBe(commit);
  const asked = await approvalList(rig.world.ledger.db, { subject: rig.run, limit: 9 });
  const merge = asked.find(({ kind }) => kind === 'merge_pr');
  expect(merge?.decision).toMatchObject({ channel: 'auto', reason: 'merged on the forge by mona' });
});

test('a forge that is down pauses the run; the next try finds what was made', async () => {
  const rig = await ship({ autoApprove: true });
  rig.github.failures.push({
    method: 'POST',
    path: '/pulls',
    status: 502,
    times: 1,
    afterwards: true,
  });
  const paused = await rig.drive();
  expect(paused).toMatchObject({
    status: 'paused',
    reason: expect.stringContaining('did not answer'),
  });
  await rig.resume();
  expect((await rig.drive()).status).toBe('succeeded');
  expect(rig.hub.pulls.size).toBe(1);
});

test('without a token the branch stays here, and the gate says so', async () => {
  const rig = await ship();
  const world = {
    ...rig.world,
    tools: {
      ...rig.world.tools,
      forges: shipTools({ PATH: '/nowhere', GITHUB_API_URL: rig.github.apiUrl }, async () => null)
        .forges,
    },
  };
  const driven = await driveRun(world, rig.run, {
    wait: false,
    signal: new AbortController().signal,
  });
  expect(driven.ok && driven.value.reason).toContain('there is no token for 127.0.0.1');
  expect(driven.ok && driven.value.reason).toContain('the branch stays in this repository');
});
