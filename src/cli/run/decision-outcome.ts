import type { ApprovalJson } from '../../contract/routes/approvals.ts';
import type { Shown } from '../command.ts';
import type { CommandContext } from '../context.ts';

/** An approval after a decision, in a line. */
export const decisionOutcome = (
  { columns }: Pick<CommandContext, 'columns'>,
  answer: { approval: ApprovalJson },
): Shown => ({
  json: answer,
  text: async () => {
    const [{ approvalLine }, { wrapWide }] = await Promise.all([
      import('../render/approval-view.ts'),
      import('../render/width.ts'),
    ]);
    return wrapWide(approvalLine(answer.approval), columns);
  },
});
