import { reopenTask } from '../../contract/routes/tasks.ts';
import type { Run } from '../command.ts';
import type { taskReopen } from '../commands/tasks.ts';
import { taskOutcome } from './task-outcome.ts';

export const run: Run<typeof taskReopen> = async (context) => {
  const { args, options, call } = context;
  const body = { reason: options.reason };
  return taskOutcome(context, await call(reopenTask, { params: { id: args.id }, body }));
};
