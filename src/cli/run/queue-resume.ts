import { resumeQueue } from '../../contract/routes/queue.ts';
import type { Run } from '../command.ts';
import type { queueResume } from '../commands/queue.ts';
import { queuesOutcome } from './queue-outcome.ts';

export const run: Run<typeof queueResume> = async (context) => {
  const { repo, target } = context.options;
  const answer = await context.call(resumeQueue, { body: { repo, target } });
  const accepted = answer.origins.map((name) => `${name}: pushed to origin as it is now`);
  return queuesOutcome(context, answer, accepted.join('\n') || 'No queue was paused.');
};
