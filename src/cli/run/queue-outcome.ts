import type { QueueDetailJson, QueueStateJson } from '../../contract/routes/queue.ts';
import type { Shown } from '../command.ts';
import type { CommandContext } from '../context.ts';

type Looks = Pick<CommandContext, 'color' | 'columns' | 'now'>;

/** A change after a command on it, in a line. */
export const changeOutcome = (looks: Looks, answer: { entry: QueueDetailJson }): Shown => ({
  json: answer,
  text: async () => (await import('../render/queue-view.ts')).changeLine(answer.entry, looks),
});

/** Queues after a command on them, a line each. */
export const queuesOutcome = (
  looks: Looks,
  answer: { queues: QueueStateJson[] },
  none: string,
): Shown => ({
  json: answer,
  text: async () =>
    answer.queues.length === 0
      ? none
      : (await import('../render/queue-view.ts')).queueStates(answer.queues, looks),
});
