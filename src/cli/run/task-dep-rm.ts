import { removeDependency } from '../../contract/routes/tasks.ts';
import type { Run } from '../command.ts';
import type { taskDepRm } from '../commands/tasks.ts';
import { cleanLine } from '../render/clean.ts';

export const run: Run<typeof taskDepRm> = async ({ args, options, call }) => {
  const answer = await call(removeDependency, {
    params: { id: args.task, on: args.dependsOn },
    query: { kind: options.kind },
  });
  const line = `${answer.task.id} no longer depends on ${args.dependsOn}`;
  return { json: answer, text: () => cleanLine(line) };
};
