import { addDependency } from '../../contract/routes/tasks.ts';
import type { Run } from '../command.ts';
import type { taskDepAdd } from '../commands/tasks.ts';
import { cleanLine } from '../render/clean.ts';

export const run: Run<typeof taskDepAdd> = async ({ args, options, call }) => {
  const { kind, level, children } = options;
  const answer = await call(addDependency, {
    params: { id: args.task },
    body: { on: args.dependsOn, kind, level, children },
  });
  // The id may have been written short; the newest edge holds it in full.
  const on = answer.task.depends_on.at(-1)?.id ?? args.dependsOn;
  const line = `${answer.task.id} depends on ${on} (${kind})`;
  return { json: answer, text: () => cleanLine(line) };
};
