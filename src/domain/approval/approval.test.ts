import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Approval, ApprovalCommand, ApprovalWish, Decision } from './approval.ts';
import { decideApproval } from './decide-approval.ts';
import { evolveApproval } from './evolve-approval.ts';

const wish: ApprovalWish = {
  kind: 'deploy',
  subject: 'run-1',
  lane: 'api',
  subjectHash: 'h1',
  summary: 'Deploy api',
  details: { image: 'api:1' },
};
const decision = (verdict: Decision['verdict']): Decision => ({
  verdict,
  actor: 'operator:ana',
  channel: 'cli',
  at: 5,
  reason: null,
});
const pending: Approval = {
  ...wish,
  id: 'ap-1',
  requestedAt: 1,
  requestedBy: 'engine',
  status: 'pending',
  decision: null,
  voided: null,
};
const states: (Approval | null)[] = [
  null,
  pending,
  { ...pending, status: 'approved', decision: decision('approve') },
  { ...pending, status: 'rejected', decision: decision('reject') },
  { ...pending, status: 'void', voided: { at: 6, reason: 'changed' } },
];

const say = (
  type: Decision['verdict'],
  subjectHash: string | null,
): Extract<ApprovalCommand, { type: Decision['verdict'] }> => ({
  type,
  actor: 'approver:bo',
  channel: 'web',
  reason: null,
  subjectHash,
});
const changed = { ...wish, subjectHash: 'h2' };
const commands: [string, ApprovalCommand][] = [
  ['request same', { type: 'request', id: 'ap-1', wish, by: 'engine' }],
  ['request changed', { type: 'request', id: 'ap-1', wish: changed, by: 'engine' }],
  ['approve', say('approve', null)],
  ['approve same hash', say('approve', 'h1')],
  ['approve other hash', say('approve', 'h2')],
  ['reject', say('reject', null)],
  ['reject other hash', say('reject', 'h2')],
  ['void', { type: 'void', reason: 'changed' }],
];

const saying = (answer: string): ApprovalCommand => ({
  type: 'answer',
  actor: 'approver:bo',
  channel: 'cli',
  answer,
  subjectHash: null,
});

/** States across, commands down: what comes of each, `!` for a refusal. */
function tableOf(
  across: readonly (Approval | null)[],
  down: readonly [string, ApprovalCommand][],
): string {
  const rows = down.map(([name, command]) => [
    name,
    ...across.map((approval) => cell(approval, command)),
  ]);
  const table = [['', ...across.map((approval) => approval?.status ?? '(none)')], ...rows];
  const lines = table.map((row) =>
    row
      .map((text) => text.padEnd(20))
      .join('')
      .trimEnd(),
  );
  return `\n${lines.join('\n')}\n`;
}

test('a question takes words and no yes; leaving it to the agent is a no', () => {
  const question = { ...pending, kind: 'input' } as const;
  const across: Approval[] = [
    question,
    { ...question, status: 'approved', decision: { ...decision('approve'), answer: 'eu' } },
    { ...question, status: 'rejected', decision: decision('reject') },
    { ...question, status: 'void', voided: { at: 6, reason: 'the attempt is over' } },
    pending,
  ];
  const down: [string, ApprovalCommand][] = [
    ['answer eu', saying('eu')],
    ['answer us', saying('us')],
    ['approve', say('approve', null)],
    ['reject', say('reject', null)],
    ['void', { type: 'void', reason: 'the attempt is over' }],
  ];
  expect(tableOf(across, down)).toMatchInlineSnapshot(`
    "
                        pending             approved            rejected            void                pending
    answer eu           decided             –                   !already-decided    !is-void            !no-question
    answer us           decided             !already-decided    !already-decided    !is-void            !no-question
    approve             !needs-answer       !needs-answer       !needs-answer       !needs-answer       decided
    reject              decided             !already-decided    –                   !is-void            decided
    void                voided              voided              !already-decided    –                   voided
    "
  `);
});

test('DC-68 what each state does with each command', () => {
  expect(tableOf(states, commands)).toMatchInlineSnapshot(`
    "
                        (none)              pending             approved            rejected            void
    request same        requested           –                   –                   –                   !is-void
    request changed     requested           !subject-changed    !subject-changed    !subject-changed    !is-void
    approve             !unknown-approval   decided             –                   !already-decided    !is-void
    approve same hash   !unknown-approval   decided             –                   !already-decided    !is-void
    approve other hash  !unknown-approval   !subject-changed    !subject-changed    !subject-changed    !is-void
    reject              !unknown-approval   decided             !already-decided    –                   !is-void
    reject other hash   !unknown-approval   !subject-changed    !subject-changed    !subject-changed    !is-void
    void                !unknown-approval   voided              voided              !already-decided    –
    "
  `);
});

function cell(approval: Approval | null, command: ApprovalCommand): string {
  const decided = decideApproval(approval, command);
  if (!decided.ok) return `!${decided.error.kind}`;
  return decided.value.map(({ type }) => type.replace('approval-', '')).join(', ') || '–';
}

test('whatever is said in whatever order, there is one decision and it never turns round', () => {
  const anyCommand = fc.constantFrom(...commands.map(([, command]) => command));
  fc.assert(
    fc.property(fc.array(anyCommand, { maxLength: 12 }), (said) => {
      let approval: Approval = pending;
      let first: Decision | null = null;
      for (const [at, command] of said.entries()) {
        const decided = decideApproval(approval, command);
        for (const event of decided.ok ? decided.value : [])
          approval = evolveApproval(approval, event, at);
        first ??= approval.decision;
        expect(approval.decision).toEqual(first);
        expect(approval.subjectHash).toBe('h1');
      }
    }),
  );
});
