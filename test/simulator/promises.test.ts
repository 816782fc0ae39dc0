import { expect, onTestFinished, test } from 'vitest';
import {
  addToConvoy,
  cancelConvoy,
  createConvoy,
  launchConvoy,
  removeFromConvoy,
  showConvoy,
  stageConvoy,
  why,
} from '../../src/contract/routes/convoys.ts';
import { pauseQueue, resumeQueue } from '../../src/contract/routes/queue.ts';
import { listReviews } from '../../src/contract/routes/reviews.ts';
import {
  addDependency,
  createTask,
  reopenTask,
  showTask,
} from '../../src/contract/routes/tasks.ts';
import { changesOf } from '../../src/ledger/queries/changes.ts';
import { attemptsOf } from '../../src/ledger/queries/attempts.ts';
import { ok } from '../../src/lib/result.ts';
import { TRUNK } from '../../src/simulator/memory-repository.ts';
import { isReviewer } from '../../src/simulator/reviewing.ts';
import type { Action } from './actions.ts';
import { type SimRig, simRig } from './rig.ts';
import { brokenIn } from './run-story.ts';

const MINUTE = 60_000;

async function opened(seed = 1): Promise<SimRig> {
  const rig = await simRig(seed);
  onTestFinished(() => rig.close());
  return rig;
}

async function task(rig: SimRig, title: string, ...on: string[]): Promise<string> {
  const { task: made } = await rig.call(createTask, { body: { title, repo: 'main' } });
  for (const other of on)
    await rig.call(addDependency, { params: { id: made.id }, body: { on: other } });
  return made.id;
}

async function launch(rig: SimRig, tasks: string[], more: object = {}): Promise<string> {
  const body = { title: 'C', tasks, launch: true, ...more };
  return (await rig.call(createConvoy, { body })).convoy.id;
}

const statusOf = async (rig: SimRig, id: string): Promise<string> =>
  (await rig.call(showTask, { params: { id } })).task.status;
const convoyOf = async (rig: SimRig, id: string) =>
  (await rig.call(showConvoy, { params: { id } })).convoy;

/** Somebody else changes a file on the target. */
function theirs({ repository: { store, branches }, time }: SimRig, path: string): void {
  const head = branches.get(TRUNK) ?? '';
  const files = new Map(store.files(store.find(head)?.tree ?? ''));
  files.set(path, 'theirs');
  branches.set(TRUNK, store.commit(files, [head], 'theirs', time.now()));
}

/** Lets time pass, a little at a time, until it is so. */
async function until(rig: SimRig, what: () => Promise<boolean>): Promise<void> {
  for (let step = 0; step < 20_000; step++) {
    if (await what()) return;
    await rig.time.pass(100);
  }
  throw new Error('it did not come to that');
}

/** The hashes of everything that was recorded. */
const historyOf = async (seed: number): Promise<string> => {
  const rig = await simRig(seed);
  const first = await task(rig, 'A bad');
  await launch(rig, [first, await task(rig, 'B collide', first), await task(rig, 'C collide')]);
  await rig.start();
  rig.crashAt('target-moved', 1);
  await rig.time.pass(MINUTE);
  await rig.start();
  await rig.time.pass(5 * MINUTE);
  const events = await rig.ledger.db.selectFrom('event').select('hash').orderBy('seq').execute();
  await rig.close();
  return events.map(({ hash }) => hash).join();
};

test('the same seed gives the same events, another seed others', async () => {
  expect(await historyOf(5)).toBe(await historyOf(5));
  expect(await historyOf(5)).not.toBe(await historyOf(6));
});

test('failure policy continue: what waits for a failed task runs without it, and why says so', async () => {
  const rig = await opened();
  const a = await task(rig, 'A lie lie lie');
  const b = await task(rig, 'B', a);
  const id = await launch(rig, [a, b], { failure_policy: 'continue' });
  await rig.start();
  await until(rig, async () => (await statusOf(rig, a)) === 'failed');
  await until(rig, async () => (await attemptsOf(rig.ledger.db, b)).length === 1);
  const { reasons } = await rig.call(why, { params: { id: b } });
  expect(reasons.map(({ code }) => code)).toContain('after_failure');
  await until(rig, async () => (await statusOf(rig, b)) === 'merged');
  await until(rig, async () => (await convoyOf(rig, id)).status === 'stalled');
  expect((await convoyOf(rig, id)).reason).toContain(`${a} failed`);
});

test('failure policy hold: what waits for a failed task waits for a person', async () => {
  const rig = await opened();
  const a = await task(rig, 'A lie lie lie');
  const b = await task(rig, 'B', a);
  const id = await launch(rig, [a, b]);
  await rig.start();
  await until(rig, async () => (await convoyOf(rig, id)).status === 'stalled');
  expect(await attemptsOf(rig.ledger.db, b)).toEqual([]);
  const { reasons } = await rig.call(why, { params: { id: b } });
  expect(reasons.map(({ code }) => code)).toContain('blocked_by_failure');
});

test('a task added while its convoy lands is landed too, and nothing landed without it', async () => {
  const rig = await opened();
  const a = await task(rig, 'A');
  const late = await task(rig, 'late');
  const id = await launch(rig, [a]);
  await rig.start();
  await until(rig, async () => (await statusOf(rig, a)) === 'submitted');
  await rig.call(pauseQueue, { body: { repo: 'main', target: 'main' } });
  await until(rig, async () => (await changesOf(rig.ledger.db, id)).length === 1);
  const { convoy } = await rig.call(addToConvoy, { params: { id }, body: { tasks: [late] } });
  expect(convoy.status).not.toBe('landing');
  const [landing] = await changesOf(rig.ledger.db, id);
  expect(landing).toMatchObject({ status: 'withdrawn' });
  await rig.call(resumeQueue, { body: {} });
  await until(rig, async () => (await convoyOf(rig, id)).status === 'landed');
  expect(await statusOf(rig, late)).toBe('merged');
});

test('a submitted task that is removed from its convoy leaves the queue and is open again', async () => {
  const rig = await opened();
  const a = await task(rig, 'A');
  const b = await task(rig, 'B');
  const id = await launch(rig, [a, b]);
  await rig.call(pauseQueue, { body: {} });
  await rig.start();
  await until(rig, async () => (await statusOf(rig, a)) === 'submitted');
  await rig.call(removeFromConvoy, { params: { id }, body: { tasks: [a] } });
  expect(await changesOf(rig.ledger.db, a)).toMatchObject([{ status: 'withdrawn' }]);
  expect(await statusOf(rig, a)).toBe('open');
  await rig.call(resumeQueue, { body: {} });
  await until(rig, async () => (await convoyOf(rig, id)).status === 'landed');
  expect(await statusOf(rig, a)).toBe('open');
});

test('the agent of a task that is removed from its convoy is stopped, and the attempt does not count', async () => {
  const rig = await opened();
  const a = await task(rig, 'A hang');
  const b = await task(rig, 'B');
  const id = await launch(rig, [a, b]);
  await rig.start();
  await until(rig, async () => rig.executor.running().length > 0);
  await rig.call(removeFromConvoy, { params: { id }, body: { tasks: [a] } });
  await until(rig, async () => (await convoyOf(rig, id)).status === 'landed');
  expect((await attemptsOf(rig.ledger.db, a)).map(({ status }) => status)).toEqual(['stopped']);
  expect((await rig.call(showTask, { params: { id: a } })).task).toMatchObject({
    status: 'open',
    attempts: 0,
  });
  expect(rig.executor.running()).toEqual([]);
});

test('a task that was cancelled and opened again waits until its old agent is gone', async () => {
  const rig = await opened();
  const a = await task(rig, 'A hang');
  const first = await launch(rig, [a]);
  await rig.start();
  await until(rig, async () => rig.executor.running().length > 0);
  await rig.call(cancelConvoy, { params: { id: first }, body: {} });
  await rig.call(reopenTask, { params: { id: a }, body: {} });
  const second = await launch(rig, [a]);
  await until(rig, async () => (await convoyOf(rig, second)).status === 'landed');
  const [old, next] = await attemptsOf(rig.ledger.db, a);
  expect(old?.endedAt).toBeLessThanOrEqual(next?.createdAt ?? 0);
});

test('a task of a landed convoy that is opened again opens the convoy, which lands again', async () => {
  const rig = await opened();
  const a = await task(rig, 'A');
  const id = await launch(rig, [a]);
  await rig.start();
  await until(rig, async () => (await convoyOf(rig, id)).status === 'landed');
  await rig.call(reopenTask, { params: { id: a }, body: {} });
  expect((await convoyOf(rig, id)).status).toBe('open');
  await until(rig, async () => (await convoyOf(rig, id)).status === 'landed');
  expect(await statusOf(rig, a)).toBe('merged');
});

test('stage and launch ask git before their transaction: others can write meanwhile', async () => {
  const rig = await opened();
  const { facts } = rig.repository.port;
  const head = facts.head.bind(facts);
  let asked = 0;
  Object.assign(facts, {
    head: async (branch: string) => {
      asked += 1;
      // Inside a transaction this would wait for itself.
      await rig.ledger.write('another', async () => ok(null));
      return head(branch);
    },
  });
  const body = { targets: [await task(rig, 'A')], base_branches: { main: 'main' } };
  const { convoy_id: id } = await rig.call(stageConvoy, { body });
  await rig.call(stageConvoy, { body: { targets: [id ?? ''] } });
  await rig.call(launchConvoy, { body: { targets: [id ?? ''], force: true } });
  expect(asked).toBeGreaterThan(0);
});

test('which change of a convoy is its last one is told by their order, not by the clock', async () => {
  const rig = await opened();
  const a = await task(rig, 'A collide');
  const id = await launch(rig, [a]);
  await rig.call(pauseQueue, { body: { repo: 'main', target: 'main' } });
  await rig.start();
  await until(rig, async () => (await changesOf(rig.ledger.db, id)).length === 1);
  theirs(rig, 'shared');
  await rig.call(resumeQueue, { body: {} });
  await until(
    rig,
    async () => (await changesOf(rig.ledger.db, id)).at(-1)?.status === 'conflicted',
  );
  rig.time.jump(-180 * MINUTE);
  await until(rig, async () => (await convoyOf(rig, id)).status === 'landed');
  expect((await changesOf(rig.ledger.db, id)).map(({ status }) => status)).toEqual([
    'conflicted',
    'merged',
  ]);
});

test('what a task is tried for again is its last change, whatever the clock says', async () => {
  const rig = await opened();
  const a = await task(rig, 'A bad');
  const id = await launch(rig, [a]);
  await rig.start();
  await until(rig, async () => (await changesOf(rig.ledger.db, a))[0]?.status === 'red');
  rig.time.jump(-180 * MINUTE);
  await until(rig, async () => (await convoyOf(rig, id)).status === 'landed');
  expect((await attemptsOf(rig.ledger.db, a)).map(({ number }) => number)).toEqual([1, 2]);
  expect((await changesOf(rig.ledger.db, a)).map(({ status }) => status)).toEqual([
    'red',
    'merged',
  ]);
});

test('two convoys with work of one sub-epic both land it', async () => {
  const rig = await opened();
  const { task: epic } = await rig.call(createTask, {
    body: { title: 'E', type: 'epic', own_branch: true },
  });
  const under = async (title: string): Promise<string> => {
    const body = { title, repo: 'main', parent: epic.id };
    return (await rig.call(createTask, { body })).task.id;
  };
  const [first, second] = [await under('A'), await under('B')];
  await rig.start();
  for (const each of [first, second]) {
    const id = await launch(rig, [each]);
    await until(rig, async () => (await convoyOf(rig, id)).status === 'landed');
  }
  expect(await statusOf(rig, epic.id)).toBe('closed');
});

test('a pull request that somebody merges is noticed in time, whatever the clock says', async () => {
  const rig = await opened();
  rig.deliverByPulls('never');
  const id = await launch(rig, [await task(rig, 'A')]);
  await rig.start();
  await until(rig, async () => rig.forge.open().length === 1);
  await rig.time.pass(MINUTE);
  rig.time.jump(-180 * MINUTE);
  rig.forge.mergeByHand(1);
  await rig.time.pass(15 * MINUTE);
  expect((await convoyOf(rig, id)).status).toBe('landed');
});

test('a reviewer whose change was taken back while no engine ran is heard out and let go', async () => {
  const rig = await opened();
  const a = await task(rig, 'A');
  const more = { review: 'agent', merge_mode: 'review-and-merge' };
  const id = await launch(rig, [a, await task(rig, 'B')], more);
  await rig.start();
  await until(rig, async () => rig.executor.running().some(isReviewer));
  rig.crash();
  for (const { id: each } of (await convoyOf(rig, id)).tasks)
    await rig.call(removeFromConvoy, { params: { id }, body: { tasks: [each] } });
  await rig.start();
  await rig.time.pass(10 * MINUTE);
  expect(rig.repository.places.owners()).toEqual([]);
  const { reviews } = await rig.call(listReviews, { query: { all: 'true' } });
  expect(reviews.map(({ status }) => status)).not.toContain('running');
});

const waits: readonly Action[] = [
  { do: 'create', plays: ['crash', 'bad', 'lie'], after: [] },
  { do: 'launch', direct: false, goOn: false, most: null },
  { do: 'start' },
];

test('a clock that is set back holds up neither backoffs, nor the queue, nor what is to be told', async () => {
  for (const seconds of [1, 12, 25])
    expect(
      await brokenIn(7, [...waits, { do: 'pass', seconds }, { do: 'clock', minutes: -90 }]),
    ).toEqual([]);
});
