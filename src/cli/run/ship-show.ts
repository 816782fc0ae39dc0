import { showPlan } from '../../contract/routes/ship.ts';
import type { Run } from '../command.ts';
import type { show } from '../commands/ship.ts';

export const run: Run<typeof show> = async (context) => {
  const { args, options, call } = context;
  const answer = await call(showPlan, { params: { id: args.plan } });
  return {
    json: answer,
    text: async () => {
      const { planPage } = await import('../render/plan-view.ts');
      return planPage(answer.plan, context, { saved: true, files: options.files });
    },
  };
};
