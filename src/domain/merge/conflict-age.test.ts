import { expect, test } from 'vitest';
import { attemptId, changeId, repoName, taskId } from '../work/ids.ts';
import type { Change } from './change.ts';
import { isOverdue, type OpenConflict, openConflict } from './conflict-age.ts';

const change = (id: string, state: Partial<Change>): Change =>
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the state makes it whole
  ({
    id: changeId(id),
    task: taskId('t'),
    attempt: attemptId('a'),
    convoy: null,
    repo: repoName('r'),
    target: 'main',
    head: 'h',
    base: 'b',
    priority: 2,
    enqueuedAt: 0,
    movedTo: null,
    ...state,
  }) as Change;
const conflicted = (id: string, at: number, escalatedAt?: number): Change =>
  change(id, {
    status: 'conflicted',
    conflict: { onto: 'b', paths: [] },
    at,
    ...(escalatedAt === undefined ? {} : { escalatedAt }),
  });

function conflictOf(...changes: readonly Change[]): OpenConflict {
  const found = openConflict(changes);
  if (found === null) throw new Error('there is a conflict');
  return found;
}

test('GT-168 a conflict is as old as the first of its row, and over at the next state', () => {
  const red = change('0', {
    status: 'red',
    failure: { onto: 'b', tree: 't', gate: 'g', log: '' },
    at: 1,
  });
  expect(openConflict([])).toBeNull();
  expect(openConflict([conflicted('1', 5), red])).toBeNull();
  expect(openConflict([conflicted('1', 2), red, conflicted('2', 5), conflicted('3', 9)])).toEqual({
    change: conflicted('3', 9),
    since: 5,
    escalated: false,
  });
});

test('GT-168 it is told after the limit, once for the whole row', () => {
  const fresh = conflictOf(conflicted('1', 5));
  expect(isOverdue(fresh, { now: 104, limitMs: 100 })).toBe(false);
  expect(isOverdue(fresh, { now: 105, limitMs: 100 })).toBe(true);
  const told = conflictOf(conflicted('1', 5, 105), conflicted('2', 200));
  expect(isOverdue(told, { now: 9999, limitMs: 100 })).toBe(false);
});
