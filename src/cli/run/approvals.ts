import { type ApprovalJson, listApprovals } from '../../contract/routes/approvals.ts';
import type { Run } from '../command.ts';
import type { approvals } from '../commands/approvals.ts';

export const run: Run<typeof approvals> = async (context) => {
  const { options, call } = context;
  const found: ApprovalJson[] = [];
  let cursor: string | undefined;
  do {
    const query = {
      cursor,
      limit: 1000,
      ...(options.all ? { all: 'true' as const } : {}),
      ...(options.subject === undefined ? {} : { subject: options.subject }),
    };
    const page = await call(listApprovals, { query });
    found.push(...page.approvals);
    cursor = page.next ?? undefined;
  } while (cursor !== undefined);
  return {
    json: { approvals: found },
    text: async () => {
      if (found.length === 0)
        return options.all ? 'No approval yet.' : 'Nothing waits for a yes or an answer.';
      return (await import('../render/approval-view.ts')).approvalTable(found, context);
    },
  };
};
