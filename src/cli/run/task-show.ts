import { showTask } from '../../contract/routes/tasks.ts';
import type { Run } from '../command.ts';
import type { taskShow } from '../commands/tasks.ts';

export const run: Run<typeof taskShow> = async (context) => {
  const answer = await context.call(showTask, { params: { id: context.args.id } });
  return {
    json: answer,
    text: async () => {
      const { taskPage } = await import('../render/task-view.ts');
      return taskPage(answer.task, context);
    },
  };
};
