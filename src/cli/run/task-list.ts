import { listTasks } from '../../contract/routes/tasks.ts';
import type { CallOf } from '../../contract/route.ts';
import type { TaskRowJson } from '../../contract/schemas/task.ts';
import type { Run, Shown } from '../command.ts';
import type { taskList } from '../commands/tasks.ts';
import type { CommandContext } from '../context.ts';
import { allPages } from './pages.ts';
import { some } from './task-fields.ts';

export const run: Run<typeof taskList> = async (context) => {
  const { options } = context;
  const filters = {
    status: some(options.status),
    type: some(options.type),
    repo: options.repo,
    label: some(options.label),
    parent: options.parent,
    convoy: options.convoy,
    assignee: options.assignee,
    text: options.search,
    ready: options.ready ? ('true' as const) : undefined,
  };
  return await listed(context, filters, options.limit, 'No task matches.');
};

type Filters = NonNullable<CallOf<typeof listTasks>['query']>;

/** All tasks that match, page by page, as JSON or as a table. */
export async function listed(
  context: Pick<CommandContext, 'call' | 'color' | 'columns' | 'now'>,
  filters: Filters,
  most: number | undefined,
  none: string,
): Promise<Shown> {
  const tasks = await allPages<TaskRowJson>(most, async (page) => {
    const answer = await context.call(listTasks, { query: { ...filters, ...page } });
    return { rows: answer.tasks, next: answer.next };
  });
  return {
    json: { tasks },
    text: async () => {
      if (tasks.length === 0) return none;
      const { taskTable } = await import('../render/task-view.ts');
      return taskTable(tasks, context);
    },
  };
}
