import { done as doneRoute } from '../../contract/routes/worker.ts';
import type { Run } from '../command.ts';
import type { done } from '../commands/worker.ts';

export const run: Run<typeof done> = async ({ options, call, cwd }) => {
  const answer = await call(doneRoute, {
    body: { no_code: options.code === false, reason: options.reason, cwd },
  });
  return { json: answer, text: () => 'Taken; end now.' };
};
