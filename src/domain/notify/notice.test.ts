import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { ApprovalEvent, ApprovalWish } from '../approval/approval.ts';
import type { ConvoyEvent } from '../convoy/events.ts';
import { newConvoy } from '../convoy/new-convoy.ts';
import type { Attempt, AttemptEvent } from '../work/attempt.ts';
import { convoyId } from '../work/ids.ts';
import { approvalNotice } from './approval-notice.ts';
import { escalationNotices } from './escalation-notice.ts';
import { BRIEF_STALL_MS, convoyNotices, type Entry, noticeId } from './notice.ts';

const created: ConvoyEvent = {
  type: 'convoy-created',
  convoy: newConvoy(convoyId('cv-1'), {
    title: 'Shop',
    status: 'staged_ready',
    epic: null,
    options: {},
    by: 'ada',
    at: 0,
    waveCount: 1,
  }),
};
const launched: ConvoyEvent = { type: 'convoy-launched', forced: false };
const landed: ConvoyEvent = { type: 'convoy-landed' };
const resumed: ConvoyEvent = { type: 'convoy-resumed' };
const reopened: ConvoyEvent = { type: 'convoy-reopened' };
const stalled = (reason: string): ConvoyEvent => ({ type: 'convoy-stalled', reason });

const history = (...events: ConvoyEvent[]): Entry<ConvoyEvent>[] =>
  [created, ...events].map((event, at) => ({ seq: at + 1, at: at * BRIEF_STALL_MS, event }));

const told = (...events: ConvoyEvent[]): string[] =>
  convoyNotices(history(...events)).map(noticeId);

test('a launch and a landing are told under the epoch of the convoy', () => {
  expect(told(launched, { type: 'landing-started' }, landed)).toEqual([
    'cv-1-launched-0',
    'cv-1-landed-0',
  ]);
});

test('a convoy that opens again and lands again has landed twice', () => {
  expect(told(launched, landed, reopened, landed)).toEqual([
    'cv-1-launched-0',
    'cv-1-landed-0',
    'cv-1-landed-1',
  ]);
});

test('one stall is told once, however often its numbers change', () => {
  const refreshed = [3, 2, 1].map((held) =>
    stalled(`web-1 failed, which holds ${held} task${held === 1 ? '' : 's'}`),
  );
  expect(told(launched, ...refreshed)).toEqual(['cv-1-launched-0', 'cv-1-stalled-3']);
});

test('another failure within a stall is told, and what was told is not told again', () => {
  expect(
    told(
      launched,
      stalled('web-1 failed, which holds 2 tasks'),
      stalled('web-1, web-2 failed, which holds 1 task'),
      stalled('web-1 failed, which holds 2 tasks'),
    ),
  ).toEqual(['cv-1-launched-0', 'cv-1-stalled-3', 'cv-1-stalled-4']);
});

test('the same reason after the convoy has moved is a new stall', () => {
  const again = stalled('web-1 failed');
  expect(told(launched, again, resumed, again)).toEqual([
    'cv-1-launched-0',
    'cv-1-stalled-3',
    'cv-1-stalled-5',
  ]);
});

test('a stall that is over at once was none', () => {
  const brief = history(launched, stalled('web-1 failed'), resumed).map((entry) => ({
    ...entry,
    at: entry.seq * (BRIEF_STALL_MS - 1),
  }));
  expect(convoyNotices(brief).map(noticeId)).toEqual(['cv-1-launched-0']);
});

test('a notice holds the convoy as it was then, not as it became', () => {
  const [first] = convoyNotices(
    history(launched, landed, { type: 'watcher-added', name: 'bob' }, reopened),
  ).slice(1);
  expect(first).toMatchObject({ kind: 'landed', seq: 3, at: 2 * BRIEF_STALL_MS });
  expect(first?.convoy).toMatchObject({ status: 'landed', watchers: [], epoch: 0 });
});

test('a budget that is used up is told once for each level, and anew for another budget', () => {
  const near: ConvoyEvent = { type: 'budget-near', words: '$4 of $5' };
  const spent: ConvoyEvent = { type: 'budget-spent', words: '$5 of $5', stops: true };
  const lifted: ConvoyEvent = {
    type: 'convoy-edited',
    title: null,
    options: { budget: { usd: 9 } },
  };
  expect(told(launched, near, spent, lifted, near)).toEqual([
    'cv-1-launched-0',
    'cv-1-budget_near-3',
    'cv-1-budget_spent-4',
    'cv-1-budget_near-6',
  ]);
  const [, warning] = convoyNotices(history(launched, near));
  expect(warning).toMatchObject({ reason: '$4 of $5', convoy: { spending: { level: 'near' } } });
});

const anyEvent = fc.oneof(
  fc.constantFrom<ConvoyEvent>(
    { type: 'budget-near', words: 'x' },
    { type: 'budget-spent', words: 'x', stops: true },
  ),
  fc.constant(launched),
  fc.constant(landed),
  fc.constant(resumed),
  fc.constant(reopened),
  fc.constant<ConvoyEvent>({ type: 'convoy-cancelled', reason: 'enough' }),
  fc.constantFrom('web-1 failed', 'web-2 failed', 'web-1, web-2 failed').map(stalled),
);

test('GT-176 no history tells the same thing twice, and more history takes nothing back', () => {
  fc.assert(
    fc.property(fc.array(anyEvent, { maxLength: 30 }), fc.nat(30), (events, cut) => {
      const all = told(...events);
      expect(new Set(all).size).toBe(all.length);
      const part = told(...events.slice(0, cut));
      expect(all.slice(0, part.length)).toEqual(part);
    }),
  );
});

const wish: ApprovalWish = {
  kind: 'land',
  subject: 'cv-1',
  lane: null,
  subjectHash: 'h',
  summary: 'Land Shop',
  details: {},
};

test('an approval that waits is told, one that was decided meanwhile is not', () => {
  const asked: Entry<ApprovalEvent> = {
    seq: 7,
    at: 9,
    event: { type: 'approval-requested', id: 'ap-1', wish, by: 'engine' },
  };
  const gone: Entry<ApprovalEvent> = {
    seq: 8,
    at: 10,
    event: { type: 'approval-voided', reason: 'changed' },
  };
  const notice = approvalNotice('approval/ap-1', [asked]);
  expect(notice).toMatchObject({ kind: 'approval_waiting', epoch: 0, seq: 7, at: 9, wish });
  expect(notice === null ? '' : noticeId(notice)).toBe('ap-1-approval_waiting-0');
  expect(approvalNotice('approval/ap-1', [asked, gone])).toBeNull();
});

const says = (severity: 'low' | 'high', text: string): AttemptEvent => ({
  type: 'attempt-escalated',
  severity,
  text,
});

test('an agent that asks for a decision is heard, but not without end, and its remarks are not told', () => {
  const attempt = { id: 'web-1.1', task: 'web-1', escalations: [] } as unknown as Attempt;
  const events: AttemptEvent[] = [
    { type: 'attempt-opened', attempt },
    says('low', 'by the way'),
    ...Array.from({ length: 9 }, (_, at) => says('high', `help ${at}`)),
  ];
  const entries = events.map((event, at) => ({ seq: at + 1, at, event }));
  const notices = escalationNotices('attempt/web-1.1', entries);
  expect(notices.map(({ text }) => text)).toEqual([
    'help 0',
    'help 1',
    'help 2',
    'help 3',
    'help 4',
  ]);
  expect(notices.map(({ epoch }) => epoch)).toEqual([3, 4, 5, 6, 7]);
});
