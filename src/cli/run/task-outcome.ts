import type { TaskJson } from '../../contract/schemas/task.ts';
import type { Shown } from '../command.ts';
import type { CommandContext } from '../context.ts';

/** A task after a change to it, in a line. */
export function taskOutcome(
  view: Pick<CommandContext, 'color' | 'columns'>,
  answer: { task: TaskJson },
): Shown {
  return {
    json: answer,
    text: async () => {
      const { taskLine } = await import('../render/task-view.ts');
      return taskLine(answer.task, view);
    },
  };
}
