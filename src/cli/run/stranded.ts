import { stranded as strandedRoute } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { stranded } from '../commands/convoys.ts';

export const run: Run<typeof stranded> = async (context) => {
  const answer = await context.call(strandedRoute, {});
  const stuck = [...answer.convoys, ...answer.tasks];
  return {
    json: answer,
    text: async () => {
      if (stuck.length === 0) return 'Nothing is stuck.';
      const { reasonLines } = await import('../render/reasons.ts');
      const { oneLine } = await import('../render/heading.ts');
      return stuck.flatMap(({ id, title, reasons }) => [
        oneLine([id, title], context.columns),
        ...reasonLines(reasons, context.columns),
      ]);
    },
  };
};
