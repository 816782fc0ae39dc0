import { resumeQueue } from '../../contract/routes/queue.ts';
import type { Run } from '../command.ts';
import type { queueResume } from '../commands/queue.ts';
import { queuesOutcome } from './queue-outcome.ts';

export const run: Run<typeof queueResume> = async (context) => {
  const { repo, target } = context.options;
  const answer = await context.call(resumeQueue, { body: { repo, target } });
  const asked = answer.origins.map((name) => `${name}: origin is asked again`);
  return queuesOutcome(context, answer, asked.join('\n') || 'No queue was paused.');
};
