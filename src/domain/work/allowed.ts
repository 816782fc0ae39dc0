import type { TaskCommand } from './commands.ts';
import type { TaskStatus } from './task.ts';

const HELD: readonly TaskStatus[] = ['open', 'deferred', 'pinned', 'blocked'];
const ENDED: readonly TaskStatus[] = ['merged', 'closed', 'failed', 'skipped', 'cancelled'];
const ANY: readonly TaskStatus[] = [...HELD, 'in_progress', 'submitted', ...ENDED];

/** In which states each command is accepted: the one table for decide, the API and the dashboard. */
export const ALLOWED: Record<TaskCommand['type'], readonly TaskStatus[]> = {
  edit: ANY,
  'add-dependency': ANY,
  'remove-dependency': ANY,
  'number-child': ANY,
  hold: HELD,
  defer: HELD,
  pin: HELD,
  release: ['deferred', 'pinned', 'blocked'],
  start: ['open', 'deferred'],
  submit: ['in_progress'],
  'give-back': ['in_progress'],
  resubmit: ['open', 'failed'],
  rework: ['submitted'],
  merge: ['submitted'],
  fail: ['open', 'in_progress', 'submitted'],
  'roll-up': ['open', 'in_progress', 'closed'],
  close: HELD,
  skip: [...HELD, 'failed'],
  cancel: [...HELD, 'in_progress', 'submitted', 'failed'],
  retry: ['failed', 'open'],
  reopen: ENDED,
};
