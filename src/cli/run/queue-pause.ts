import { pauseQueue } from '../../contract/routes/queue.ts';
import type { Run } from '../command.ts';
import type { queuePause } from '../commands/queue.ts';
import { queuesOutcome } from './queue-outcome.ts';

export const run: Run<typeof queuePause> = async (context) => {
  const { repo, target, reason } = context.options;
  const answer = await context.call(pauseQueue, { body: { repo, target, reason } });
  return queuesOutcome(context, answer, 'There is no repository whose queue could be paused.');
};
