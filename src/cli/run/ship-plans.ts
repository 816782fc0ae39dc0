import { listPlans } from '../../contract/routes/ship.ts';
import type { Run } from '../command.ts';
import type { plans } from '../commands/ship.ts';

export const run: Run<typeof plans> = async (context) => {
  const answer = await context.call(listPlans, {});
  return {
    json: answer,
    text: async () => (await import('../render/plan-view.ts')).planTable(answer.plans, context),
  };
};
