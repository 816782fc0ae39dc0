import { expect, test } from 'vitest';
import { attemptId, changeId, repoName, taskId } from '../work/ids.ts';
import type { Change, ChangeCommand, ChangeCore } from './change.ts';
import { decideChange } from './decide-change.ts';
import type { Pull } from './pull.ts';

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
  enqueuedAt: 0,
  movedTo: null,
};
const failure = { onto: 'b0', tree: 'x', gate: 'test', log: 'log' };
const merged = { target: 'main', commit: 'm', tree: 'x', proof: 'p', unverified: false };

const pull: Pull = {
  branch: 'b',
  head: 'h1',
  number: 1,
  url: 'u',
  state: 'open',
  by: null,
  waits: null,
  stuck: false,
  merging: null,
  closing: null,
  again: false,
};

const states: (Change | null)[] = [
  null,
  { ...core, status: 'queued', since: 0 },
  { ...core, status: 'verifying', since: 0, verifications: ['v1'] },
  { ...core, status: 'waiting_push', since: 0, commit: 'm', tree: 'x', because: 'push_failed' },
  { ...core, status: 'merged', merged, at: 0 },
  { ...core, status: 'conflicted', conflict: { onto: 'b0', paths: ['a'] }, at: 0 },
  { ...core, status: 'red', failure, at: 0 },
  { ...core, pull, status: 'withdrawn', reason: 'no longer wanted', at: 0 },
];

const commands: ChangeCommand[] = [
  { type: 'enqueue', change: core, at: 1 },
  { type: 'start-verifying', verification: 'v2', at: 1 },
  { type: 'end-verifying', verification: 'v1', outcome: 'green', at: 1 },
  { type: 'wait-for-push', commit: 'm', tree: 'x', because: 'push_failed', at: 1 },
  {
    type: 'record-merge',
    proof: { commit: 'm', tree: 'x', verifiedTree: 'x', contained: true, addsNothing: true },
    at: 1,
  },
  { type: 'reject-red', failure, at: 1 },
  { type: 'reject-conflict', conflict: { onto: 'b0', paths: ['a'] }, at: 1 },
  { type: 'escalate-conflict', since: 0, at: 1 },
  { type: 'withdraw', reason: 'superseded', at: 1 },
  { type: 'retry', at: 1 },
  { type: 'move', turn: 5 },
  { type: 'propose', branch: 'b', head: 'h1', at: 1 },
  { type: 'record-proposal', number: 1, url: 'u', at: 1 },
  { type: 'see-pull', state: 'closed', by: 'mona', waits: null, stuck: true, at: 1 },
  { type: 'intend-merge', onto: 'b0', tree: 'x', at: 1 },
  { type: 'close-pull', reason: 'superseded', at: 1 },
];

test('what each state does with each command', () => {
  const rows = commands.map((command) => [
    command.type,
    ...states.map((change) => cell(change, command)),
  ]);
  const table = [['', ...states.map((change) => change?.status ?? '(none)')], ...rows];
  const lines = table.map((row) =>
    row
      .map((text) => text.padEnd(22))
      .join('')
      .trimEnd(),
  );
  expect(`\n${lines.join('\n')}\n`).toMatchInlineSnapshot(`
    "
                          (none)                queued                verifying             waiting_push          merged                conflicted            red                   withdrawn
    enqueue               enqueued              ·                     ·                     ·                     ·                     ·                     ·                     ·
    start-verifying       ·                     verification-started  verification-started  ·                     ·                     ·                     ·                     ·
    end-verifying         ·                     ·                     verification-ended    ·                     ·                     ·                     ·                     ·
    wait-for-push         ·                     push-awaited          ended, push-awaited   push-awaited          ·                     ·                     ·                     ·
    record-merge          ·                     merged                ended, merged         merged                ·                     merged                merged                merged
    reject-red            ·                     turned-red            ended, turned-red     ·                     ·                     ·                     ·                     ·
    reject-conflict       ·                     conflicted            ended, conflicted     conflicted            ·                     ·                     ·                     ·
    escalate-conflict     ·                     ·                     ·                     ·                     ·                     conflict-escalated    ·                     ·
    withdraw              ·                     withdrawn             ended, withdrawn      withdrawn             ·                     withdrawn             withdrawn             ·
    retry                 ·                     ·                     ·                     requeued              ·                     requeued              requeued              requeued
    move                  ·                     moved                 moved                 ·                     ·                     ·                     ·                     ·
    propose               ·                     proposal-intended     proposal-intended     proposal-intended     ·                     ·                     ·                     ·
    record-proposal       ·                     proposed              proposed              proposed              proposed              proposed              proposed
    see-pull              ·                     pull-seen             pull-seen             pull-seen             pull-seen             pull-seen             pull-seen             pull-seen
    intend-merge          ·                     merge-intended        merge-intended        merge-intended        ·                     ·                     ·                     ·
    close-pull            ·                                                                                                                                                         pull-closing
    "
  `);
});

function cell(change: Change | null, command: ChangeCommand): string {
  const decision = decideChange(change, command);
  return decision.ok
    ? decision.value
        .map((event) => event.type.replace('change-', ''))
        .join(', ')
        .replace('verification-ended, ', 'ended, ')
    : '·';
}
