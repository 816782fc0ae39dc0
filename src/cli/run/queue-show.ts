import { showChange } from '../../contract/routes/queue.ts';
import type { Run } from '../command.ts';
import type { queueShow } from '../commands/queue.ts';

export const run: Run<typeof queueShow> = async (context) => {
  const answer = await context.call(showChange, { params: { id: context.args.change } });
  return {
    json: answer,
    text: async () => (await import('../render/queue-view.ts')).changePage(answer.entry, context),
  };
};
