import { expect, test } from 'vitest';
import { listApprovals, reject } from '../../src/contract/routes/approvals.ts';
import { listQueue } from '../../src/contract/routes/queue.ts';
import { cancelConvoy, why } from '../../src/contract/routes/convoys.ts';
import { outbox, type OutboxEntry } from '../../src/ledger/queries/outbox.ts';
import { engineRig, type EngineRig, WORK } from '../engine/rig.ts';
import type { Wish } from '../engine/open-rig.ts';

async function told(wish: Wish): Promise<{
  rig: EngineRig;
  /** Notifications of a kind, when there is one. */
  heard: (kind: string) => Promise<OutboxEntry[]>;
}> {
  const rig = await engineRig({ ...wish, workspace: { notify: ['me'], ...wish.workspace } });
  rig.config((config) => {
    Object.assign(config, { notify: { me: { sink: 'inbox' } } });
  });
  const all = async (kind: string): Promise<OutboxEntry[]> =>
    (await outbox(rig.services.ledger.db, { limit: 1000 })).filter((one) => one.kind === kind);
  return {
    rig,
    heard: (kind) =>
      rig.until(`told of ${kind}`, async () => {
        const found = await all(kind);
        return found.length > 0 && found;
      }),
  };
}

const COLLIDES = [
  {
    when: { role: 'resolver' },
    steps: [{ do: 'crash', code: 75 }],
  },
  {
    steps: [{ do: 'write', path: 'shared.txt', content: '{task_id}\n' }, { do: 'lie' }],
  },
];

test('GT-168 a conflict that nobody resolves is aged, shown and told once over the limit', async () => {
  const { rig, heard } = await told({
    scripts: COLLIDES,
    files: { 'shared.txt': 'start\n' },
    workspace: { conflict_limit: '200ms' },
  });
  const tasks = [await rig.task('One'), await rig.task('Two')];
  const convoy = await rig.launch(...tasks);
  rig.start();
  const notices = await heard('conflict_ageing');
  expect(notices).toHaveLength(1);
  const { entries } = await rig.call(listQueue, { query: { all: 'true' } });
  const [entry] = entries.filter(({ state }) => state === 'conflicted');
  expect(entry).toMatchObject({ escalated: true, conflict_age_s: expect.any(Number) });
  expect(notices[0]).toMatchObject({
    subject: `change/${entry?.id}`,
    title: expect.stringContaining(`${entry?.task} conflicts with`),
    body: expect.stringContaining('shared.txt'),
  });
  const { reasons } = await rig.call(why, { params: { id: entry?.task ?? '' } });
  expect(reasons[0]).toMatchObject({
    code: 'conflicted',
    message: expect.stringContaining('people were told'),
  });
  await rig.call(cancelConvoy, { params: { id: convoy }, body: {} });
  expect(await heard('cancelled')).toHaveLength(1);
  expect(await heard('conflict_ageing')).toHaveLength(1);
});

const REVIEWED = { review: 'agent', reviewer: 'judge' };
const NO = { file: 'a.txt', line: 3, severity: 'error', text: 'it lacks a mend' };

test('a rejected review is told once, with what was found', async () => {
  const { rig, heard } = await told({
    repo: REVIEWED,
    agents: { judge: {} },
    scripts: [
      { when: { role: 'reviewer' }, steps: [{ do: 'verdict', verdict: 'reject', findings: [NO] }] },
      { when: { title: 'One' }, steps: WORK },
      { steps: [{ do: 'crash', code: 1 }] },
    ],
  });
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  const notices = await heard('review_rejected');
  expect(notices).toMatchObject([
    {
      title: `Review rejected: main of ${convoy}, by judge`,
      body: expect.stringContaining('error a.txt:3: it lacks a mend'),
    },
  ]);
});

test('an approval that waits is told once, and so is a person’s no', async () => {
  const { rig, heard } = await told({
    repo: { review: 'human' },
    scripts: [{ when: { title: 'One' }, steps: WORK }, { steps: [{ do: 'crash', code: 1 }] }],
  });
  const convoy = await rig.launch(await rig.task('One'));
  rig.start();
  expect(await heard('approval_waiting')).toMatchObject([
    { title: expect.stringContaining(`review for ${convoy}`) },
  ]);
  const { approvals } = await rig.call(listApprovals, { query: {} });
  const id = approvals[0]?.id ?? '';
  await rig.call(reject, { params: { id }, body: { reason: 'not so' } });
  expect(await heard('review_rejected')).toMatchObject([
    { subject: `approval/${id}`, body: expect.stringContaining('not so') },
  ]);
  expect(await heard('approval_waiting')).toHaveLength(1);
});

test('GT-177 the landed text names items, commits, time, cost and what was skipped', async () => {
  const { rig, heard } = await told({});
  const task = await rig.task('One');
  const convoy = await rig.launch(task);
  rig.start();
  await rig.settled(convoy, 'landed');
  const [notice] = await heard('landed');
  const [change] = await rig.changes(task);
  const commit = change?.status === 'merged' ? change.merged.commit : '';
  expect(notice?.title).toContain('1 task');
  expect(notice?.body).toContain(`${task} One ${commit.slice(0, 10)}`);
  expect(notice?.body).toMatch(
    /Landed in main, main: [0-9a-f]{10}\nTook \d+ s; no cost was reported\./,
  );
});
