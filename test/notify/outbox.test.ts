import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ApprovalEvent } from '../../src/domain/approval/approval.ts';
import { BRIEF_STALL_MS } from '../../src/domain/notify/notice.ts';
import type { Attempt } from '../../src/domain/work/attempt.ts';
import { attemptId, convoyId, repoName, taskId } from '../../src/domain/work/ids.ts';
import { newAttempt } from '../../src/domain/work/new-attempt.ts';
import { notifying } from '../../src/engine/notify.ts';
import { approvalAggregate } from '../../src/ledger/aggregates/approval.ts';
import { attemptAggregate } from '../../src/ledger/aggregates/attempt.ts';
import { post } from '../../src/ledger/outbox.ts';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { ok } from '../../src/lib/result.ts';
import { LANDED, makeNotify } from './rig.ts';

const TERMINAL = '[workspace]\nnotify = ["me"]\n[notify.me]\nsink = "terminal"\n';

const ATTEMPT: Attempt = {
  ...newAttempt(
    {
      id: attemptId('cv-1-a.1'),
      task: taskId('cv-1-a'),
      convoy: convoyId('cv-1'),
      repo: repoName('web'),
      number: 1,
      role: 'worker',
      agent: 'mine',
      branch: 'b',
      target: 'main',
    },
    0,
  ),
  status: 'running',
};

const stalled = (reason: string): { type: 'convoy-stalled'; reason: string } => ({
  type: 'convoy-stalled',
  reason,
});

test('GT-177 a landing is told with its tasks, commits, what was skipped, how long and what it cost', async () => {
  const rig = await makeNotify(TERMINAL);
  await rig.convoy('cv-1');
  await rig.happen('cv-1', LANDED);
  await rig.notify.pass();
  const log = readFileSync(join(rig.dir, 'logs/notifications.log'), 'utf8');
  expect(log).toBe(
    [
      '2026-03-01T10:00:00.000Z Launched: Convoy cv-1 (cv-1)',
      '  2 tasks to do.',
      '2026-03-01T10:01:00.000Z Landed: Convoy cv-1 (cv-1), 1 task',
      '  Merged:',
      '    cv-1-a Task cv-1-a abcdef0123',
      '  Skipped:',
      '    cv-1-b Task cv-1-b: not needed',
      '  Took 1 min 0 s; no cost was reported.',
      '',
    ].join('\n'),
  );
  const [landed] = await rig.entries();
  expect(JSON.parse(landed?.facts ?? '')).toMatchObject({
    convoy: 'cv-1',
    counts: { merged: 1, skipped: 1, failed: 0, unfinished: 0 },
    merged: [{ id: 'cv-1-a', commit: 'abcdef0123456789' }],
    duration_ms: 60_000,
  });
});

test('GT-178 names that are no sinks are inboxes, and have it as soon as it is stored', async () => {
  const rig = await makeNotify(`${TERMINAL}[notify.box]\nsink = "inbox"\n`);
  await rig.convoy('cv-1', { owner: 'ada', notify: ['box', 'me'] });
  await rig.happen('cv-1', { type: 'watcher-added', name: 'ada' }, LANDED);
  await rig.notify.pass();
  expect(await rig.states()).toEqual([
    'cv-1-landed-0 ada delivered',
    'cv-1-landed-0 box delivered',
    'cv-1-landed-0 me delivered',
    'cv-1-launched-0 ada delivered',
    'cv-1-launched-0 box delivered',
    'cv-1-launched-0 me delivered',
  ]);
});

test('a stall is told once while it lasts, again when another task fails, and anew after it moved', async () => {
  const rig = await makeNotify(TERMINAL);
  await rig.convoy('cv-1');
  for (const event of [
    stalled('web-1 failed, which holds 4 tasks'),
    stalled('web-1 failed, which holds 3 tasks'),
    stalled('web-1, web-2 failed, which holds 2 tasks'),
    { type: 'convoy-resumed' as const },
    stalled('web-1 failed, which holds 4 tasks'),
  ]) {
    await rig.happen('cv-1', event);
    rig.pass(BRIEF_STALL_MS);
    await rig.notify.pass();
  }
  const titles = (await rig.entries())
    .filter(({ kind }) => kind === 'stalled')
    .toSorted((a, b) => a.seq - b.seq)
    .map(({ title }) => title.replace('Stalled: Convoy cv-1 (cv-1): ', ''));
  expect(titles).toEqual([
    'web-1 failed, which holds 4 tasks',
    'web-1, web-2 failed, which holds 2 tasks',
    'web-1 failed, which holds 4 tasks',
  ]);
});

test('a stall is told when it has lasted a moment, one that did not is not, and an engine that goes tells it at once', async () => {
  const rig = await makeNotify(TERMINAL);
  await rig.convoy('cv-1');
  await rig.happen('cv-1', stalled('web-1 failed'));
  expect(await rig.notify.pass()).toBe(BRIEF_STALL_MS);
  await rig.happen('cv-1', { type: 'convoy-resumed' });
  rig.pass(BRIEF_STALL_MS);
  await rig.notify.pass();
  expect(await rig.states()).toEqual(['cv-1-launched-0 me delivered']);
  await rig.happen('cv-1', stalled('web-1 failed'));
  await rig.notify.pass();
  expect(await rig.states()).toHaveLength(1);
  await rig.notify.finish();
  expect(await rig.states()).toHaveLength(2);
  rig.pass(BRIEF_STALL_MS);
  await rig.notify.pass();
  expect(await rig.states()).toHaveLength(2);
});

test('a convoy that opens again is told to have landed again', async () => {
  const rig = await makeNotify(TERMINAL);
  await rig.convoy('cv-1');
  await rig.happen('cv-1', LANDED, { type: 'convoy-reopened' }, LANDED);
  await rig.notify.pass();
  expect(await rig.states()).toEqual([
    'cv-1-landed-0 me delivered',
    'cv-1-landed-1 me delivered',
    'cv-1-launched-0 me delivered',
  ]);
});

test('many at once come as one digest', async () => {
  const rig = await makeNotify(TERMINAL);
  for (const id of ['cv-1', 'cv-2', 'cv-3']) {
    await rig.convoy(id);
    await rig.happen(id, LANDED);
  }
  await rig.notify.pass();
  const log = readFileSync(join(rig.dir, 'logs/notifications.log'), 'utf8').split('\n');
  expect(log[0]).toBe('2026-03-01T10:03:00.000Z Convoy: 6 notifications');
  expect(log.slice(1, -1)).toEqual(
    ['cv-1', 'cv-2', 'cv-3'].flatMap((id) => [
      `  Launched: Convoy ${id} (${id})`,
      `  Landed: Convoy ${id} (${id}), 1 task`,
    ]),
  );
  const messages = (await rig.entries()).flatMap(({ deliveries }) => deliveries);
  expect(new Set(messages.map(({ message }) => message)).size).toBe(1);
  expect(messages.map(({ status }) => status)).toEqual(
    Array.from({ length: 6 }, () => 'delivered'),
  );
});

test('while the configuration cannot be read nobody is told, and nothing is forgotten', async () => {
  const rig = await makeNotify(TERMINAL);
  writeFileSync(join(rig.dir, 'config.toml'), 'nonsense');
  await rig.convoy('cv-1');
  await rig.notify.pass();
  expect(await rig.entries()).toEqual([]);
  writeFileSync(join(rig.dir, 'config.toml'), TERMINAL);
  await rig.notify.pass();
  expect(await rig.states()).toEqual(['cv-1-launched-0 me delivered']);
});

test('a reader who was taken out of the configuration is a dead letter that says so', async () => {
  const rig = await makeNotify(`${TERMINAL}[notify.gone]\nsink = "terminal"\n`);
  await rig.convoy('cv-1', { notify: ['gone'] });
  await post(
    rig.ledger,
    [
      {
        notification: {
          id: 'cv-1-launched-0',
          subject: 'convoy/cv-1',
          kind: 'launched',
          epoch: 0,
          seq: 5,
          at: 0,
          title: 'Launched',
          body: '',
          facts: '{}',
        },
        targets: [{ name: 'gone', stored: false }],
      },
    ],
    5,
  );
  writeFileSync(join(rig.dir, 'config.toml'), TERMINAL);
  await rig.notify.pass();
  expect((await rig.entries())[0]?.deliveries).toMatchObject([
    { target: 'gone', status: 'dead', error: 'there is no [notify.gone] any more' },
  ]);
});

test('GT-176 three observers with connections of their own tell a landing once', async () => {
  const rig = await makeNotify(TERMINAL);
  await rig.convoy('cv-1');
  await rig.happen('cv-1', LANDED);
  const observers = await Promise.all(
    [1, 2, 3].map(async () => notifying({ ...rig.world, ledger: await rig.open() })),
  );
  for (let round = 0; round < 3; round++)
    await Promise.all(observers.map((observer) => observer.pass()));
  const log = readFileSync(join(rig.dir, 'logs/notifications.log'), 'utf8');
  expect(log.match(/Landed/g)).toHaveLength(1);
  expect(log.match(/Launched/g)).toHaveLength(1);
});

test('the last pass of an engine tells the news and leaves alone what has failed before', async () => {
  const rig = await makeNotify(
    '[workspace]\nnotify = ["me"]\n[notify.me]\nsink = "command"\ncommand = ["false"]\n',
  );
  await rig.convoy('cv-1');
  await rig.notify.finish();
  rig.pass(3_600_000);
  await rig.notify.finish();
  const [entry] = await rig.entries();
  expect(entry?.deliveries).toMatchObject([{ status: 'pending', tries: 1, error: 'exit 1' }]);
});

test('the outbox leaves the chain of events as it is', async () => {
  const rig = await makeNotify(TERMINAL);
  await rig.convoy('cv-1');
  await rig.happen('cv-1', LANDED);
  await rig.notify.pass();
  expect((await verifyLedger(rig.ledger.db)).problems).toEqual([]);
});

const ask = (id: string, subject: string): ApprovalEvent => ({
  type: 'approval-requested',
  id,
  wish: {
    kind: 'land',
    subject,
    lane: null,
    subjectHash: 'h',
    summary: 'Land it?',
    details: { secret: 'no' },
  },
  by: 'engine',
});

test('an approval is told to the readers of the convoy it is about, a decided one to nobody', async () => {
  const rig = await makeNotify('[notify.me]\nsink = "terminal"\n');
  await rig.convoy('cv-1', { notify: ['me'] });
  await rig.ledger.write('test', async (tx) => {
    await tx.record(approvalAggregate, 'ap-1', [ask('ap-1', 'cv-1')]);
    await tx.record(approvalAggregate, 'ap-2', [ask('ap-2', 'cv-1-a')]);
    await tx.record(approvalAggregate, 'ap-3', [
      ask('ap-3', 'cv-1'),
      { type: 'approval-voided', reason: 'it changed' },
    ]);
    return ok(null);
  });
  await rig.notify.pass();
  expect(await rig.states()).toEqual([
    'ap-1-approval_waiting-0 me delivered',
    'ap-2-approval_waiting-0 me delivered',
    'cv-1-launched-0 me delivered',
  ]);
  expect((await rig.entries()).map(({ facts }) => facts).join('')).not.toContain('secret');
});

test('a call for help is told to the readers of the convoy', async () => {
  const rig = await makeNotify(TERMINAL);
  await rig.convoy('cv-1');
  await rig.ledger.write('test', async (tx) =>
    ok(
      await tx.record(attemptAggregate, 'cv-1-a.1', [
        { type: 'attempt-opened', attempt: ATTEMPT },
        { type: 'attempt-escalated', severity: 'medium', text: 'Which key?' },
      ]),
    ),
  );
  await rig.notify.pass();
  const [told] = (await rig.entries()).filter(({ kind }) => kind === 'needs_decision');
  expect(told).toMatchObject({
    subject: 'attempt/cv-1-a.1',
    title: 'Needs a decision: cv-1-a: Which key?',
    deliveries: [{ target: 'me', status: 'delivered' }],
  });
});
