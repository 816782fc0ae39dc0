import { createTask } from '../../contract/routes/tasks.ts';
import type { Run } from '../command.ts';
import type { taskCreate } from '../commands/tasks.ts';
import { cleanLine } from '../render/clean.ts';
import { some, taskFields } from './task-fields.ts';

export const run: Run<typeof taskCreate> = async ({ args, options, stdin, call }) => {
  const fields = await taskFields(options, stdin);
  const depends = some(options.after)?.map((on) => ({ on }));
  const answer = await call(createTask, {
    body: { ...fields, title: args.title, depends_on: depends },
  });
  const { id, title } = answer.task;
  return { json: answer, text: () => `${id}  ${cleanLine(title)}` };
};
