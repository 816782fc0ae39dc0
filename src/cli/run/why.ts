import { why as whyRoute } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { why } from '../commands/tasks.ts';

export const run: Run<typeof why> = async (context) => {
  const answer = await context.call(whyRoute, { params: { id: context.args.id } });
  return {
    json: answer,
    text: async () => {
      const { reasonLines } = await import('../render/reasons.ts');
      return [`${answer.id} is ${answer.state}`, ...reasonLines(answer.reasons, context.columns)];
    },
  };
};
