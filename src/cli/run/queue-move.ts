import { moveChange } from '../../contract/routes/queue.ts';
import type { Run } from '../command.ts';
import type { queueMove } from '../commands/queue.ts';
import { changeOutcome } from './queue-outcome.ts';

export const run: Run<typeof queueMove> = async (context) => {
  const { args, options, call } = context;
  const body = { to: options.to };
  return changeOutcome(context, await call(moveChange, { params: { id: args.change }, body }));
};
