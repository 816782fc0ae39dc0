import { listQueue } from '../../contract/routes/queue.ts';
import type { Run } from '../command.ts';
import type { queueList } from '../commands/queue.ts';

export const run: Run<typeof queueList> = async (context) => {
  const { options } = context;
  const query = {
    repo: options.repo,
    target: options.target,
    ...(options.all ? { all: 'true' as const } : {}),
  };
  const answer = await context.call(listQueue, { query });
  return {
    json: answer,
    text: async () => {
      const { queueStates, queueTable } = await import('../render/queue-view.ts');
      if (answer.entries.length > 0) return queueTable(answer.entries, answer.queues, context);
      const stopped = answer.queues.filter(({ paused, held }) => paused || held !== null);
      return [...queueStates(stopped, context), 'Nothing is queued.'];
    },
  };
};
