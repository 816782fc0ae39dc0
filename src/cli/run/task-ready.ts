import type { Run } from '../command.ts';
import type { taskReady } from '../commands/tasks.ts';
import { listed } from './task-list.ts';

export const run: Run<typeof taskReady> = async (context) => {
  const { repo, convoy, limit } = context.options;
  const filters = { repo, convoy, ready: 'true' as const };
  return await listed(
    context,
    filters,
    limit,
    "Nothing is ready. 'convoy why <id>' says what holds a task.",
  );
};
