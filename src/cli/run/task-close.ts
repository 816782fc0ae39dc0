import { closeTask } from '../../contract/routes/tasks.ts';
import type { Run } from '../command.ts';
import type { taskClose } from '../commands/tasks.ts';
import { taskOutcome } from './task-outcome.ts';

export const run: Run<typeof taskClose> = async (context) => {
  const { args, options, call } = context;
  const body = { reason: options.reason };
  return taskOutcome(context, await call(closeTask, { params: { id: args.id }, body }));
};
