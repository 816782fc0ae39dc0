import { checkpoint as checkpointRoute } from '../../contract/routes/worker.ts';
import type { Run } from '../command.ts';
import type { checkpoint } from '../commands/worker.ts';

export const run: Run<typeof checkpoint> = async ({ args, call }) => {
  const answer = await call(checkpointRoute, { body: { note: args.note } });
  return { json: answer, text: () => 'Noted.' };
};
