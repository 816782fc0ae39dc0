import { retryChange } from '../../contract/routes/queue.ts';
import type { Run } from '../command.ts';
import type { queueRetry } from '../commands/queue.ts';
import { changeOutcome } from './queue-outcome.ts';

export const run: Run<typeof queueRetry> = async (context) => {
  const { args, options, call } = context;
  const body = { reason: options.reason };
  return changeOutcome(context, await call(retryChange, { params: { id: args.change }, body }));
};
