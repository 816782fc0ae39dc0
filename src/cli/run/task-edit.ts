import { editTask } from '../../contract/routes/tasks.ts';
import { refused, type Run } from '../command.ts';
import type { taskEdit } from '../commands/tasks.ts';
import { some, taskFields } from './task-fields.ts';
import { taskOutcome } from './task-outcome.ts';

/** Fields that an empty value clears. */
const CLEARED = new Set([
  'assignee',
  'agent',
  'external_ref',
  'repo',
  'parent',
  'due_at',
  'defer_until',
]);

export const run: Run<typeof taskEdit> = async (context) => {
  const { args, options, stdin, call } = context;
  const fields = {
    ...(await taskFields(options, stdin)),
    title: options.title,
    add_labels: some(options.addLabel),
    remove_labels: some(options.removeLabel),
    status: options.status,
    reason: options.reason,
  };
  const named = Object.entries(fields).filter(([, value]) => value !== undefined);
  if (named.length === 0) {
    return refused({
      kind: 'invalid',
      code: 'nothing_to_change',
      message: 'Nothing to change was named',
      remedy: "'convoy help task edit' lists what can be changed.",
    });
  }
  const body = named.map(([name, value]) => [
    name,
    value === '' && CLEARED.has(name) ? null : value,
  ]);
  const answer = await call(editTask, { params: { id: args.id }, body: Object.fromEntries(body) });
  return taskOutcome(context, answer);
};
