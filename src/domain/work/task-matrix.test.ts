import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { givenTask } from '../graph/given-task.ts';
import { givenTasks } from '../graph/given-tasks.ts';
import { ALLOWED } from './allowed.ts';
import type { TaskCommand } from './commands.ts';
import { decideTask } from './decide.ts';
import type { TaskEvent } from './events.ts';
import { evolveTask } from './evolve.ts';
import { attemptId, changeId, taskId } from './ids.ts';
import { isTerminal, TASK_STATUSES, type Task, type TaskStatus, type TaskType } from './task.ts';

const attempt = attemptId('a1');
const change = changeId('c1');
const merged = { target: 'main', commit: 'c', tree: 't', proof: 'ancestor', unverified: false };
const because = { reason: 'because' };

const commands: TaskCommand[] = [
  { type: 'start', attempt },
  { type: 'submit', attempt, change },
  { type: 'give-back', attempt, retryAt: null, ...because },
  { type: 'resubmit', attempt, change },
  { type: 'rework', change, ...because },
  { type: 'merge', change, merged },
  { type: 'fail', ...because },
  { type: 'close', outcome: 'done' },
  { type: 'skip', ...because },
  { type: 'cancel', ...because },
  { type: 'retry', ...because },
  { type: 'reopen', ...because },
  { type: 'hold', ...because },
  { type: 'defer', until: 9 },
  { type: 'pin' },
  { type: 'release' },
];

const aTask = (status: TaskStatus, type: TaskType = 'task'): Task => {
  const [task] = givenTasks({ t: { status, type, after: ['b'] } });
  if (task === undefined) throw new Error('One was given');
  return givenTask(task);
};

test('what each state does with each command', () => {
  const rows = commands.map((command) => [
    command.type,
    ...TASK_STATUSES.map((status) => cell(aTask(status), command)),
  ]);
  const table = [['', ...TASK_STATUSES], ...rows];
  expect(`\n${table.map(aligned).join('\n')}\n`).toMatchInlineSnapshot(`
    "
                open        in_progress submitted   merged      closed      failed      skipped     cancelled   deferred    pinned      blocked
    start       in_progress ·           ·           ·           ·           ·           ·           ·           in_progress ·           ·
    submit      ·           submitted   ·           ·           ·           ·           ·           ·           ·           ·           ·
    give-back   ·           open        ·           ·           ·           ·           ·           ·           ·           ·           ·
    resubmit    submitted   ·           ·           ·           ·           submitted   ·           ·           ·           ·           ·
    rework      ·           ·           open        ·           ·           ·           ·           ·           ·           ·           ·
    merge       ·           ·           merged      ·           ·           ·           ·           ·           ·           ·           ·
    fail        failed      failed      failed      ·           ·           ·           ·           ·           ·           ·           ·
    close       closed      ·           ·           ·           ·           ·           ·           ·           closed      closed      closed
    skip        skipped     ·           ·           ·           ·           skipped     ·           ·           skipped     skipped     skipped
    cancel      cancelled   cancelled   cancelled   ·           ·           cancelled   ·           ·           cancelled   cancelled   cancelled
    retry       open        ·           ·           ·           ·           open        ·           ·           ·           ·           ·
    reopen      ·           ·           ·           open        open        open        open        open        ·           ·           ·
    hold        blocked     ·           ·           ·           ·           ·           ·           ·           blocked     blocked     blocked
    defer       deferred    ·           ·           ·           ·           ·           ·           ·           deferred    deferred    deferred
    pin         pinned      ·           ·           ·           ·           ·           ·           ·           pinned      pinned      pinned
    release     ·           ·           ·           ·           ·           ·           ·           ·           open        open        open
    "
  `);
});

/** The state after it, `·` for a refusal. */
function cell(task: Task, command: TaskCommand): string {
  const decision = decideTask(task, command);
  if (!decision.ok) return '·';
  return decision.value.reduce((now, event) => evolveTask(now, event, 7), task).status;
}

const aligned = (row: readonly string[]): string =>
  row
    .map((text) => text.padEnd(12))
    .join('')
    .trimEnd();

test('an epic is never started, and only an epic rolls up', () => {
  expect(decideTask(aTask('open', 'epic'), { type: 'start', attempt })).toMatchObject({
    ok: false,
    error: { kind: 'not-dispatchable' },
  });
  expect(decideTask(aTask('open'), { type: 'roll-up', to: 'closed' })).toMatchObject({
    ok: false,
    error: { kind: 'not-an-epic' },
  });
  expect(cell(aTask('open', 'epic'), { type: 'roll-up', to: 'in_progress' })).toBe('in_progress');
});

test('KG-91 a report of an attempt or a change that was given up is refused', () => {
  const late = attemptId('old');
  const reports: [Task, TaskCommand][] = [
    [aTask('in_progress'), { type: 'submit', attempt: late, change }],
    [aTask('in_progress'), { type: 'give-back', attempt: late, retryAt: null, ...because }],
    [aTask('submitted'), { type: 'merge', change: changeId('old'), merged }],
    [aTask('submitted'), { type: 'rework', change: changeId('old'), ...because }],
  ];
  for (const [task, report] of reports)
    expect(decideTask(task, report)).toMatchObject({
      ok: false,
      error: { kind: expect.stringMatching(/^stale-/) },
    });
});

const text = fc.string({ maxLength: 5 });
const anyAttempt = fc.constantFrom('a1', 'a2', 'a3').map(attemptId);
const anyChange = fc.constantFrom('c1', 'c2').map(changeId);
const anyId = fc.constantFrom('b', 'c', 'd').map(taskId);

const anyCommand: fc.Arbitrary<TaskCommand> = fc.oneof(
  fc.record({ type: fc.constant('start' as const), attempt: anyAttempt }),
  fc.record({ type: fc.constant('submit' as const), attempt: anyAttempt, change: anyChange }),
  fc.record({
    type: fc.constant('give-back' as const),
    attempt: anyAttempt,
    reason: text,
    retryAt: fc.option(fc.nat()),
  }),
  fc.record({ type: fc.constant('rework' as const), change: anyChange, reason: text }),
  fc.record({
    type: fc.constant('merge' as const),
    change: anyChange,
    merged: fc.constant(merged),
  }),
  fc.record({
    type: fc.constantFrom('fail', 'skip', 'cancel', 'retry', 'reopen', 'hold'),
    reason: text,
  }),
  fc.record({ type: fc.constant('close' as const), outcome: text }),
  fc.record({ type: fc.constant('defer' as const), until: fc.option(fc.nat()) }),
  fc.constantFrom<TaskCommand>({ type: 'pin' }, { type: 'release' }, { type: 'number-child' }),
  fc.record({
    type: fc.constant('roll-up' as const),
    to: fc.constantFrom('in_progress', 'closed', 'open'),
  }),
  fc.record({ type: fc.constant('edit' as const), patch: fc.record({ title: text }) }),
  fc.record({
    type: fc.constant('add-dependency' as const),
    dependency: fc.record({ on: anyId, kind: fc.constantFrom('blocks', 'related') }),
  }),
  fc.record({
    type: fc.constant('remove-dependency' as const),
    on: anyId,
    kind: fc.option(fc.constantFrom('blocks', 'related')),
  }),
);

const anyLife = fc.tuple(
  fc.constantFrom<TaskType>('task', 'epic', 'decision'),
  fc.array(anyCommand, { maxLength: 30 }),
);

test('whatever is asked: terminal states move only by reopen or retry, and replay gives the same', () => {
  fc.assert(
    fc.property(anyLife, ([type, life]) => {
      const first = aTask('open', type);
      const events: [TaskEvent, number][] = [[{ type: 'task-created', task: first }, 0]];
      let now = first;
      for (const [at, command] of life.entries()) {
        const decision = decideTask(now, command);
        expect(decision.ok && !ALLOWED[command.type].includes(now.status)).toBe(false);
        if (!decision.ok) continue;
        const after = decision.value.reduce((task, event) => evolveTask(task, event, at), now);
        const ended = isTerminal(now.status) && after.status !== now.status;
        expect(ended && !leavesTheEnd(now, command)).toBe(false);
        events.push(...decision.value.map((event): [TaskEvent, number] => [event, at]));
        now = after;
      }
      const replayed = events.reduce<Task | null>(
        // What the ledger keeps is text.
        (task, [event, at]) => evolveTask(task, JSON.parse(JSON.stringify(event)), at),
        null,
      );
      expect(replayed).toEqual(JSON.parse(JSON.stringify(now)));
    }),
  );
});

/** A failed task may still be given up; an epic follows its children. */
const leavesTheEnd = (task: Task, { type }: TaskCommand): boolean =>
  type === 'reopen' ||
  type === 'retry' ||
  (task.status === 'failed' && (type === 'skip' || type === 'cancel')) ||
  (task.type === 'epic' && type === 'roll-up');

test('facts of one state do not outlive it', () => {
  fc.assert(
    fc.property(anyLife, ([type, life]) => {
      let now = aTask('open', type);
      for (const command of life) {
        const decision = decideTask(now, command);
        if (decision.ok)
          now = decision.value.reduce((task, event) => evolveTask(task, event, 1), now);
      }
      expect('attempt' in now).toBe(now.status === 'in_progress' || now.status === 'submitted');
      expect('change' in now).toBe(now.status === 'submitted');
      expect('merged' in now).toBe(now.status === 'merged');
      expect('until' in now).toBe(now.status === 'deferred');
      expect('retryAt' in now).toBe(now.status === 'open');
    }),
  );
});

test('a failure told by an attempt or about a change that does not hold the task is late', () => {
  const [old, gone] = [attemptId('at-old'), changeId('ch-old')];
  for (const status of ['open', 'in_progress', 'submitted'] as const) {
    const task = aTask(status, 'task');
    expect(decideTask(task, { type: 'fail', ...because, attempt: old }).ok).toBe(false);
    expect(decideTask(task, { type: 'fail', ...because, change: gone }).ok).toBe(false);
    expect(decideTask(task, { type: 'fail', ...because }).ok).toBe(true);
  }
  const held = aTask('in_progress', 'task');
  const mine = 'attempt' in held && held.attempt !== null ? held.attempt : old;
  expect(decideTask(held, { type: 'fail', ...because, attempt: mine }).ok).toBe(true);
});
