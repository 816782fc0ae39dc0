import { rejectChange } from '../../contract/routes/queue.ts';
import type { Run } from '../command.ts';
import type { queueReject } from '../commands/queue.ts';
import { changeOutcome } from './queue-outcome.ts';

export const run: Run<typeof queueReject> = async (context) => {
  const { args, options, call } = context;
  const body = { reason: options.reason };
  return changeOutcome(context, await call(rejectChange, { params: { id: args.change }, body }));
};
