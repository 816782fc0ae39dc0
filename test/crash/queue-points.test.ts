import { execFileSync } from 'node:child_process';
import { expect, onTestFinished, test } from 'vitest';
import { showConvoy } from '../../src/contract/routes/convoys.ts';
import { outbox } from '../../src/ledger/queries/outbox.ts';
import { engineRig, type EngineRig, WORK } from '../engine/rig.ts';
import type { Wish } from '../engine/open-rig.ts';
import { serveGit } from '../fakes/git-http.ts';
import { startModelServer } from '../fakes/model-server/server.ts';
import { call, inTurn, KEY, NAME } from '../model/rig.ts';
import { endOf } from './daemon-bundle.ts';
import { daemons } from './engine-rig.ts';
import { brokenInvariants } from './invariants.ts';

const engines = daemons();

/** Kills the engine at a point, lets another finish, and checks that everything happened once. */
async function survive(rig: EngineRig, point: string): Promise<{ task: string; convoy: string }> {
  const task = await rig.task('T');
  const convoy = await rig.launch(task);
  expect(await endOf(engines.start(rig, { crashAt: point }))).toBe('SIGKILL');
  const engine = engines.start(rig);
  await rig.settled(convoy, 'landed');
  await engines.stop(engine);
  expect((await rig.attempts(task)).map(({ status }) => status)).toEqual(['done']);
  const changes = await rig.changes(convoy);
  expect(changes.map(({ status }) => status)).toEqual(['merged', 'merged']);
  expect(changes.filter(({ landing }) => landing === true)).toHaveLength(1);
  expect(await brokenInvariants(rig, [task])).toEqual([]);
  return { task, convoy };
}

/** A workspace whose repository has an origin behind git's own HTTP server. */
async function withOrigin(wish: Wish = {}): Promise<{ rig: EngineRig; head: () => string }> {
  const rig = await engineRig(wish);
  const bare = rig.path('remote.git');
  execFileSync('git', ['init', '--quiet', '--bare', '-b', 'main', bare]);
  execFileSync('git', ['config', 'http.receivepack', 'true'], { cwd: bare });
  const server = await serveGit(rig.root);
  onTestFinished(() => server.close());
  rig.git('remote', 'add', 'origin', `${server.url}/remote.git`);
  rig.git('push', '--quiet', bare, 'main');
  return { rig, head: () => rig.git('ls-remote', bare, 'refs/heads/main').split('\t')[0] ?? '' };
}

test.for(['landing-intended:2', 'target-pushed', 'target-moved:2', 'landing-done:2'])(
  'GT-170 with a remote, a crash at %s (pushed and not recorded included) ends in one landing',
  async (point) => {
    const { rig, head } = await withOrigin();
    await survive(rig, point);
    expect(head()).toBe(rig.git('rev-parse', 'main'));
    const landings = rig.git('log', '--format=%s', 'main').split('\n');
    expect(landings.filter((subject) => subject.startsWith('Land '))).toHaveLength(1);
  },
);

const APPROVES: Wish = {
  repo: { review: 'agent', reviewer: 'judge' },
  agents: { judge: {} },
  scripts: [
    {
      when: { role: 'reviewer' },
      steps: [
        { do: 'sleep', ms: 300 },
        { do: 'verdict', verdict: 'approve' },
      ],
    },
    { steps: WORK },
  ],
};

test.for(['review-started', 'reviewer-running', 'review-said', 'review-answered'])(
  'GT-174 a crash at %s costs no verdict and asks nobody twice',
  async (point) => {
    const rig = await engineRig(APPROVES);
    const { convoy } = await survive(rig, point);
    const { review } = (await rig.call(showConvoy, { params: { id: convoy } })).convoy;
    expect(review).toMatchObject([
      { status: 'approved', by: 'judge', tries: 1, tree: rig.git('rev-parse', 'main^{tree}') },
    ]);
  },
);

test.for(['review-started', 'review-said', 'review-answered'])(
  'a crash at %s while the model reviews: it is asked again, and once more only',
  async (point) => {
    const yes = { name: 'give_verdict', input: { verdict: 'approve', findings: [] } };
    const server = await startModelServer({ yes: inTurn(call(yes)) });
    onTestFinished(() => server[Symbol.asyncDispose]());
    const rig = await engineRig({
      repo: { review: 'agent' },
      env: { ANTHROPIC_API_KEY: KEY, ANTHROPIC_BASE_URL: `${server.url}/s/yes` },
    });
    rig.config((config) => {
      Object.assign(config, { model: { name: NAME } });
    });
    const { convoy } = await survive(rig, point);
    const { review } = (await rig.call(showConvoy, { params: { id: convoy } })).convoy;
    expect(review).toMatchObject([{ status: 'approved', by: 'model', tries: 1 }]);
    expect(server.bodies).toHaveLength(point === 'review-said' ? 2 : 1);
  },
);

test('GT-176 one notification of the landing through twenty crashes of the engine', async () => {
  const rig = await engineRig({ workspace: { notify: ['me'] } });
  rig.config((config) => {
    Object.assign(config, { notify: { me: { sink: 'inbox' } } });
  });
  const tasks = [await rig.task('One'), await rig.task('Two'), await rig.task('Three')];
  const convoy = await rig.launch(...tasks);
  let kills = 0;
  // Points in turn, each a little later in the life of the convoy; a life that ends in peace is killed too.
  for (; kills < 20; kills++) {
    const point = POINTS[kills % POINTS.length] ?? '';
    const doomed = engines.start(rig, {
      crashAt: `${point}:${1 + Math.floor(kills / POINTS.length)}`,
    });
    const over = new AbortController();
    await Promise.race([endOf(doomed), landed(rig, convoy, over.signal)]);
    over.abort();
    doomed.kill('SIGKILL');
    expect(await endOf(doomed)).toBe('SIGKILL');
  }
  const engine = engines.start(rig);
  await rig.settled(convoy, 'landed');
  await rig.until('told', async () => (await told(rig, convoy)).length > 0 || null);
  engine.kill('SIGKILL');
  await endOf(engine);
  expect(await told(rig, convoy)).toEqual([{ kind: 'landed', deliveries: ['me delivered'] }]);
  expect(await brokenInvariants(rig, tasks)).toEqual([]);
}, 240_000);

const POINTS = [
  'attempt-running',
  'attempt-recorded',
  'verification-recorded',
  'answer-kept',
  'landing-intended',
  'target-moved',
  'convoy-settling',
  'landing-enqueued',
];

async function landed(rig: EngineRig, id: string, over: AbortSignal): Promise<void> {
  while (!over.aborted) {
    const { convoy } = await rig.call(showConvoy, { params: { id } });
    if (convoy.status === 'landed') return;
    await rig.services.ledger.changes.next(over);
  }
}

async function told(
  rig: EngineRig,
  convoy: string,
): Promise<{ kind: string; deliveries: string[] }[]> {
  const entries = await outbox(rig.services.ledger.db, { limit: 1000 });
  return entries
    .filter(({ subject, kind }) => subject === `convoy/${convoy}` && kind === 'landed')
    .map(({ kind, deliveries }) => ({
      kind,
      deliveries: deliveries.map(({ target, status }) => `${target} ${status}`),
    }));
}
