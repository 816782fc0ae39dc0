import type { ApprovalJson } from '../../contract/routes/approvals.ts';
import type { Shown } from '../command.ts';

/** An approval after a decision, in a line. */
export const decisionOutcome = (answer: { approval: ApprovalJson }): Shown => ({
  json: answer,
  text: async () => (await import('../render/approval-view.ts')).approvalLine(answer.approval),
});
