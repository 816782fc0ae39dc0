import { expect, test } from 'vitest';
import type { Change } from '../merge/change.ts';
import { newConvoy } from '../convoy/new-convoy.ts';
import { attemptId, changeId, convoyId, repoName, taskId } from '../work/ids.ts';
import { newTask } from '../work/new-task.ts';
import type { Merged, Task, TaskState } from '../work/task.ts';
import type { ConvoyNotice, NoticeKind } from './notice.ts';
import type { EscalationNotice } from './escalation-notice.ts';
import { tellApproval, tellConvoy, tellEscalation } from './tell.ts';
import { workFacts } from './work-facts.ts';

const MINUTE = 60_000;
const NOW = { from: 0, to: 12 * MINUTE, movedOn: false };

const merged = (commit: string, unverified = false): Merged => ({
  target: 'main',
  commit,
  tree: 't',
  proof: 'ancestor',
  unverified,
});
const task = (id: string, title: string, state: Partial<Task> & TaskState): Task => ({
  ...newTask(taskId(id), { title, repo: repoName('web') }, 'ada', 0),
  ...state,
});
const landing: Change = {
  id: changeId('ch-1'),
  task: taskId('cv-1'),
  attempt: attemptId('landing'),
  convoy: convoyId('cv-1'),
  repo: repoName('web'),
  target: 'main',
  head: 'h',
  base: 'b',
  priority: 0,
  enqueuedAt: 0,
  movedTo: null,
  landing: true,
  status: 'merged',
  merged: merged('fedcba9876543210'),
  at: 5 * MINUTE,
};
const WORK: Task[] = [
  task('web-1', 'Login', { status: 'merged', merged: merged('0123456789abcdef'), at: MINUTE }),
  task('web-2', 'Logout', { status: 'merged', merged: merged('1111111111111', true), at: MINUTE }),
  task('web-3', 'Docs', { status: 'skipped', reason: 'not needed', at: MINUTE }),
  task('web-4', 'Ask legal', { status: 'closed', outcome: 'they agreed', at: MINUTE }),
  task('web-9', 'All of it', { type: 'epic', status: 'open', retryAt: null, lastFailure: null }),
];
const COSTS = [
  { cost: { usd: 0.5, tokens: 100 }, createdAt: 1 },
  { cost: { usd: 0.75, tokens: 20 }, createdAt: 2 },
];

const notice = (kind: NoticeKind, reason: string | null = null): ConvoyNotice => ({
  subject: 'convoy/cv-1',
  kind,
  epoch: 0,
  seq: 9,
  at: NOW.to,
  reason,
  convoy: newConvoy(convoyId('cv-1'), {
    title: 'Shop',
    status: 'open',
    epic: null,
    options: {},
    by: 'ada',
    at: 0,
    waveCount: null,
  }),
});

test('GT-177 a landing names what was merged with its commit, what was skipped and why, time and cost', () => {
  expect(tellConvoy(notice('landed'), workFacts(WORK, [landing], COSTS, NOW))).toEqual({
    title: 'Landed: Shop (cv-1), 2 tasks',
    text: [
      'Merged:',
      '  web-1 Login 0123456789',
      '  web-2 Logout 1111111111 (unverified)',
      'Done without code:',
      '  web-4 Ask legal: they agreed',
      'Skipped:',
      '  web-3 Docs: not needed',
      'Landed in web, main: fedcba9876',
      'Took 12 min 0 s; $1.25 and 120 tokens.',
    ].join('\n'),
  });
});

test('a budget says how much is gone and how to lift it', () => {
  const facts = workFacts(WORK, [], COSTS, NOW);
  const near = tellConvoy(notice('budget_near', '$4.10 of $5.00'), facts);
  expect(near.title).toBe('Budget nearly spent: Shop (cv-1): $4.10 of $5.00');
  const spent = tellConvoy(notice('budget_spent', '$5.10 of $5.00'), facts);
  expect(spent.title).toBe('Budget spent: Shop (cv-1): $5.10 of $5.00');
  expect(spent.text).toContain('Nothing more is started; work so far is kept.');
  expect(spent.text).toContain('convoy edit cv-1 --budget usd=…');
});

test('a cost that nobody reported is not called nothing', () => {
  const { text } = tellConvoy(notice('landed'), workFacts(WORK, [], [], NOW));
  expect(text).toContain('Took 12 min 0 s; no cost was reported.');
});

test('a stall says what it holds and how far the rest is', () => {
  const failed = task('web-5', 'Pay', { status: 'failed', reason: 'tests red', at: MINUTE });
  const waits = task('web-6', 'Ship', { status: 'open', retryAt: null, lastFailure: null });
  const told = tellConvoy(
    notice('stalled', 'web-5 failed, which holds 1 task'),
    workFacts([...WORK, failed, waits], [], [], NOW),
  );
  expect(told).toEqual({
    title: 'Stalled: Shop (cv-1): web-5 failed, which holds 1 task',
    text: '3 of 5 tasks done, 1 failed.\nFailed:\n  web-5 Pay: tests red\nconvoy why cv-1',
  });
});

test('a cancelled convoy says what was not finished', () => {
  const waits = task('web-6', 'Ship', { status: 'open', retryAt: null, lastFailure: null });
  const told = tellConvoy(notice('cancelled', 'enough'), workFacts([waits], [], [], NOW));
  expect(told.title).toBe('Cancelled: Shop (cv-1): enough');
  expect(told.text).toContain('Not finished: 1 task');
});

test('what came after a landing is not part of it once the convoy has moved on', () => {
  const later = [
    task('web-7', 'Later', {
      status: 'merged',
      merged: merged('2222222222'),
      at: 20 * MINUTE,
      createdAt: 13 * MINUTE,
    }),
  ];
  const facts = workFacts([...WORK, ...later], [], [], { ...NOW, movedOn: true });
  expect(facts.merged.map(({ id }) => id)).toEqual(['web-1', 'web-2']);
  expect(facts.unfinished).toBe(0);
});

test('a clock that was set back takes nothing out of a convoy that is as it was', () => {
  const facts = workFacts(WORK, [landing], COSTS, { from: 0, to: 0, movedOn: false });
  expect(facts.merged).toHaveLength(2);
  expect(facts.durationMs).toBe(0);
});

test('a long list is cut and says how much is missing', () => {
  const many = Array.from({ length: 23 }, (_, at) =>
    task(`web-${at}`, `T${at}`, { status: 'merged', merged: merged('abc'), at: 1 }),
  );
  const { title, text } = tellConvoy(notice('landed'), workFacts(many, [], [], NOW));
  expect(title).toBe('Landed: Shop (cv-1), 23 tasks');
  expect(text).toContain('  web-19 T19 abc\n  and 3 more\n');
  expect(text).not.toContain('web-20');
});

test('a title cannot add lines of its own', () => {
  const sly = task('web-1', 'x\nSkipped:\n  none\u001B[2J', {
    status: 'merged',
    merged: merged('abc'),
    at: 1,
  });
  const { text } = tellConvoy(notice('landed'), workFacts([sly], [], [], NOW));
  expect(text.split('\n')[1]).toBe('  web-1 x Skipped: none [2J abc');
});

test('an approval says what is asked and how to answer', () => {
  const wish = {
    kind: 'open_pr' as const,
    subject: 'run-1',
    lane: null,
    subjectHash: 'h',
    summary: 'Open it',
    details: {},
  };
  expect(tellApproval({ ...notice('approval_waiting'), subject: 'approval/ap-1', wish })).toEqual({
    title: 'Approval waiting: open pr for run-1 (ap-1)',
    text: 'Open it\nconvoy approve ap-1, or convoy reject ap-1',
  });
});

test('a question is told in its own words, with how to answer it', () => {
  const wish = {
    kind: 'input',
    subject: 'at-1',
    lane: 'abc',
    subjectHash: 'abcd',
    summary: 'mine asks in web-1: Which\nregion?',
    details: {},
  } as const;
  expect(tellApproval({ ...notice('approval_waiting'), subject: 'approval/ap-1', wish })).toEqual({
    title: 'Question waiting: mine asks in web-1: Which region? (ap-1)',
    text: 'mine asks in web-1: Which region?\nconvoy answer ap-1 "…", or convoy reject ap-1',
  });
});

test('a call for help says who calls and in whose words', () => {
  const attempt = {
    id: 'web-1.2',
    task: 'web-1',
    agent: 'mine',
    number: 2,
  } as unknown as EscalationNotice['attempt'];
  const asked = { ...notice('needs_decision'), attempt, severity: 'high' as const };
  const { title, text } = tellEscalation({ ...asked, text: `Which key?\n${'x'.repeat(300)}` });
  expect(title).toBe(`Needs a decision (urgent): web-1: Which key? ${'x'.repeat(189)}…`);
  expect(text).toBe(
    `mine says in attempt 2 at web-1:\n  Which key? ${'x'.repeat(300)}\nconvoy logs web-1.2`,
  );
});
