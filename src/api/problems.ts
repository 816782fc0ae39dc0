import type { Problem } from '../contract/problem.ts';
import type { ConvoyRefusal } from '../domain/convoy/events.ts';
import type { TaskRefusal } from '../domain/work/events.ts';
import { err, type Err } from '../lib/result.ts';
import { unreachable } from '../lib/unreachable.ts';
import type { SettingsProblem } from '../ports/settings.ts';

/** Refusals of the core, put into words: what happened, why, what to do next. */
export function taskProblem(id: string, refusal: TaskRefusal): Problem {
  switch (refusal.kind) {
    case 'wrong-state':
      return wrongState(id, 'task', refusal, remedyFor(id, refusal.command, refusal.status));
    case 'stale-attempt':
      return {
        kind: 'conflict',
        code: 'stale_attempt',
        message: `Another attempt holds ${id}; this one was given up.`,
        ids: [id],
      };
    case 'stale-change':
      return {
        kind: 'conflict',
        code: 'stale_change',
        message: `${id} has a newer change; this one was given up.`,
        ids: [id],
      };
    case 'no-such-edge':
      return {
        kind: 'not_found',
        code: 'dependency_not_found',
        message: `${id} does not depend on ${refusal.on}${refusal.edgeKind === null ? '' : ` by ${refusal.edgeKind}`}.`,
        remedy: `convoy task show ${id}`,
        ids: [id, refusal.on],
      };
    case 'not-dispatchable':
    case 'not-an-epic':
      return {
        kind: 'refused',
        code: 'wrong_type',
        message: `${id} is a ${refusal.type}, which cannot do that.`,
        ids: [id],
      };
    default:
      return unreachable(refusal);
  }
}

function wrongState(
  id: string,
  what: string,
  refusal: { command: string; status: string; allowed: readonly string[] },
  remedy: string,
): Problem {
  return {
    kind: 'refused',
    code: 'wrong_state',
    message: `${id} is ${refusal.status}; ${refusal.command} is not possible now.`,
    cause: `It is possible only when a ${what} is ${either(refusal.allowed)}.`,
    remedy,
    ids: [id],
  };
}

function remedyFor(id: string, command: string, status: string): string {
  if (command === 'close' && status === 'submitted')
    return `Its change is in the queue: let it merge, or take it out with convoy queue reject.`;
  if (command === 'close' && status === 'in_progress')
    return 'An attempt is running: pause the convoy or wait for it to end.';
  if (command === 'retry')
    return `Only a failed task is retried; convoy task reopen ${id} takes up a finished one.`;
  if (command === 'reopen') return `It has not ended; convoy why ${id} says what it waits for.`;
  return `convoy why ${id}`;
}

export function convoyProblem(id: string, refusal: ConvoyRefusal): Problem {
  switch (refusal.kind) {
    case 'wrong-state':
      return wrongState(id, 'convoy', refusal, `convoy status ${id}`);
    case 'warnings-need-force':
      return {
        kind: 'refused',
        code: 'warnings_need_force',
        message: `${id} was staged with warnings.`,
        remedy: `Read them with convoy stage ${id}, then convoy launch ${id} --force to go on in spite of them.`,
        ids: [id],
      };
    case 'already-launched':
      return {
        kind: 'conflict',
        code: 'already_launched',
        message: `${id} is already launched.`,
        remedy: `convoy status ${id}`,
        ids: [id],
      };
    default:
      return unreachable(refusal);
  }
}

export const settingsProblem = (problem: SettingsProblem): Problem => ({
  kind: 'invalid',
  code: problem.code,
  message: problem.message,
  ...(problem.remedy === undefined ? {} : { remedy: problem.remedy }),
});

export const notFound = (code: string, message: string, remedy: string): Err<Problem> =>
  err({ kind: 'not_found', code, message, remedy });

export const invalid = (code: string, message: string, remedy: string): Err<Problem> =>
  err({ kind: 'invalid', code, message, remedy });

export const refused = (
  code: string,
  message: string,
  remedy: string,
  ids?: readonly string[],
): Err<Problem> =>
  err({ kind: 'refused', code, message, remedy, ...(ids === undefined ? {} : { ids }) });

export const conflict = (code: string, message: string, remedy: string): Err<Problem> =>
  err({ kind: 'conflict', code, message, remedy });

function either(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
