import { listTokens } from '../../contract/routes/tokens.ts';
import type { Run } from '../command.ts';
import type { tokenList } from '../commands/approvals.ts';

export const run: Run<typeof tokenList> = async (context) => {
  const query = context.options.all ? { all: 'true' as const } : {};
  const answer = await context.call(listTokens, { query });
  return {
    json: answer,
    text: async () => {
      if (answer.tokens.length === 0) return 'No token but your own in .convoy/token.';
      return (await import('../render/token-view.ts')).tokenTable(answer.tokens, context);
    },
  };
};
