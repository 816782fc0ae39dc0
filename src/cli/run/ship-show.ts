import { showApproval } from '../../contract/routes/approvals.ts';
import { showPlan } from '../../contract/routes/ship.ts';
import type { Outcome, Run } from '../command.ts';
import type { show } from '../commands/ship.ts';
import type { CommandContext } from '../context.ts';

export const run: Run<typeof show> = async (context) => {
  const { args, options, call } = context;
  if (args.id.startsWith('ap-')) return approvalOutcome(context);
  const answer = await call(showPlan, { params: { id: args.id } });
  return {
    json: answer,
    text: async () => {
      const { planPage } = await import('../render/plan-view.ts');
      return planPage(answer.plan, context, { next: 'apply', files: options.files });
    },
  };
};

async function approvalOutcome(context: CommandContext<typeof show>): Promise<Outcome> {
  const answer = await context.call(showApproval, { params: { id: context.args.id } });
  return {
    json: answer,
    text: async () => {
      const { approvalPage } = await import('../render/approval-view.ts');
      return approvalPage(answer.approval, context);
    },
  };
}
