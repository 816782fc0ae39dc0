import { retryTask } from '../../contract/routes/tasks.ts';
import type { Run } from '../command.ts';
import type { taskRetry } from '../commands/tasks.ts';
import { taskOutcome } from './task-outcome.ts';

export const run: Run<typeof taskRetry> = async (context) => {
  const { args, options, call } = context;
  const body = { reason: options.reason };
  return taskOutcome(context, await call(retryTask, { params: { id: args.id }, body }));
};
