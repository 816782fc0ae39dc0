import { escalate as escalateRoute } from '../../contract/routes/worker.ts';
import type { Run } from '../command.ts';
import type { escalate } from '../commands/worker.ts';

export const run: Run<typeof escalate> = async ({ args, options, call }) => {
  const answer = await call(escalateRoute, {
    body: { text: args.text, severity: options.severity },
  });
  return { json: answer, text: () => 'A person will be told.' };
};
