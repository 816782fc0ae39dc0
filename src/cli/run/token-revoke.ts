import { revokeToken } from '../../contract/routes/tokens.ts';
import type { Run } from '../command.ts';
import type { tokenRevoke } from '../commands/approvals.ts';

export const run: Run<typeof tokenRevoke> = async ({ args, call }) => {
  const answer = await call(revokeToken, { params: { id: args.token } });
  const { revoked } = answer;
  return {
    json: answer,
    text: () => (revoked.length === 0 ? 'It had ended already.' : `Ended: ${revoked.join(', ')}`),
  };
};
