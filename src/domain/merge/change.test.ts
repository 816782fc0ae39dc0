import { describe, expect, test } from 'vitest';
import { attemptId, changeId, repoName, taskId } from '../work/ids.ts';
import type { Change, ChangeCommand, ChangeCore, LandingProof } from './change.ts';
import { decideChange } from './decide-change.ts';
import { evolveChange } from './evolve-change.ts';

const core: ChangeCore = {
  id: changeId('ch1'),
  task: taskId('t1'),
  attempt: attemptId('a1'),
  convoy: null,
  repo: repoName('app'),
  target: 'main',
  head: 'h1',
  base: 'b0',
  priority: 2,
  enqueuedAt: 10,
  movedTo: null,
};
const enqueue: ChangeCommand = { type: 'enqueue', change: core, at: 10 };
const start = (verification: string, at: number): ChangeCommand => ({
  type: 'start-verifying',
  verification,
  at,
});
const end = (verification: string, at: number): ChangeCommand => ({
  type: 'end-verifying',
  verification,
  outcome: 'red',
  at,
});
const wait = (at: number): ChangeCommand => ({
  type: 'wait-for-push',
  commit: 'm1',
  tree: 'x',
  because: 'push_failed',
  at,
});
const proof: LandingProof = {
  commit: 'm1',
  tree: 'x',
  verifiedTree: 'x',
  contained: true,
  addsNothing: true,
};

describe('verifying', () => {
  test('a change in two runs verifies until the last of them ends', () => {
    const both = after(enqueue, start('v1', 20), start('v2', 30));
    expect(both).toEqual({ ...core, status: 'verifying', since: 20, verifications: ['v1', 'v2'] });
    expect(after(enqueue, start('v1', 20), start('v2', 30), end('v1', 40))).toEqual({
      ...core,
      status: 'verifying',
      since: 20,
      verifications: ['v2'],
    });
  });

  test('a red group does not make its members red', () => {
    expect(after(enqueue, start('v1', 20), end('v1', 30))).toEqual({
      ...core,
      status: 'queued',
      since: 30,
    });
  });

  test('a report from a run that is no longer this change’s is refused', () => {
    const change = after(enqueue, start('v1', 20));
    expect(decideChange(change, end('v0', 30))).toEqual({
      ok: false,
      error: { kind: 'stale-verification', current: ['v1'] },
    });
  });

  test('starting the same run twice records it once', () => {
    expect(decideChange(after(enqueue, start('v1', 20)), start('v1', 21))).toEqual({
      ok: true,
      value: [],
    });
  });
});

describe('landing', () => {
  test('a landing that git shows is recorded with its proof', () => {
    const change = after(enqueue, { type: 'record-merge', proof, at: 50 });
    expect(change).toMatchObject({
      status: 'merged',
      merged: { target: 'main', commit: 'm1', tree: 'x', unverified: false },
      at: 50,
    });
  });

  test('GT-166 what is missing from a proof is named and nothing is recorded', () => {
    const bad = { ...proof, tree: 'other', contained: false, addsNothing: false };
    const refused = decideChange(after(enqueue), { type: 'record-merge', proof: bad, at: 50 });
    expect(refused).toEqual({
      ok: false,
      error: { kind: 'unproven', missing: ['contained', 'verified-tree', 'adds-nothing'] },
    });
  });

  test('GT-170 a landing found after a crash is recorded, even once the change was withdrawn', () => {
    const withdrawn = after(enqueue, { type: 'withdraw', reason: 'gave up', at: 20 });
    const decision = decideChange(withdrawn, { type: 'record-merge', proof, at: 50 });
    expect(decision).toMatchObject({ ok: true, value: [{ type: 'change-merged' }] });
  });

  test('a push that fails again has waited since it first failed', () => {
    expect(after(enqueue, wait(20), wait(40))).toMatchObject({ status: 'waiting_push', since: 20 });
  });
});

test('a retried change is queued again without a trace of its failure', () => {
  const failure = { onto: 'b0', tree: 'x', gate: 'test', log: 'l' };
  const red = after(enqueue, { type: 'reject-red', failure, at: 20 });
  expect(red).toEqual({ ...core, status: 'red', failure, at: 20 });
  expect(
    after(enqueue, { type: 'reject-red', failure, at: 20 }, { type: 'retry', at: 30 }),
  ).toEqual({ ...core, status: 'queued', since: 30 });
});

test('a moved change keeps its state', () => {
  expect(after(enqueue, start('v1', 20), { type: 'move', turn: -3 })).toEqual({
    ...core,
    movedTo: -3,
    status: 'verifying',
    since: 20,
    verifications: ['v1'],
  });
});

function after(...commands: ChangeCommand[]): Change {
  const change = commands.reduce<Change | null>((current, command) => {
    const decision = decideChange(current, command);
    if (!decision.ok) throw new Error(decision.error.kind);
    return decision.value.reduce<Change | null>(evolveChange, current);
  }, null);
  if (change === null) throw new Error('nothing was enqueued');
  return change;
}
