import { skipTask } from '../../contract/routes/tasks.ts';
import type { Run } from '../command.ts';
import type { taskSkip } from '../commands/tasks.ts';
import { taskOutcome } from './task-outcome.ts';

export const run: Run<typeof taskSkip> = async (context) => {
  const { args, options, call } = context;
  const body = { reason: options.reason };
  return taskOutcome(context, await call(skipTask, { params: { id: args.id }, body }));
};
