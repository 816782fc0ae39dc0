import { createTask } from '../../contract/routes/tasks.ts';
import type { Run } from '../command.ts';
import type { taskCreate } from '../commands/tasks.ts';
import { some, taskFields } from './task-fields.ts';

export const run: Run<typeof taskCreate> = async (context) => {
  const { args, options, stdin, call, columns } = context;
  const fields = await taskFields(options, stdin);
  const depends = some(options.after)?.map((on) => ({ on }));
  const answer = await call(createTask, {
    body: { ...fields, title: args.title, depends_on: depends },
  });
  const { id, title } = answer.task;
  return {
    json: answer,
    text: async () => (await import('../render/heading.ts')).oneLine([id, title], columns),
  };
};
