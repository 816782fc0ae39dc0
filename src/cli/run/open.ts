import { startLogin } from '../../contract/routes/tokens.ts';
import type { Run } from '../command.ts';
import type { open } from '../commands/approvals.ts';
import { openBrowser } from './open-browser.ts';

export const run: Run<typeof open> = async (context) => {
  const { args, options, call, interactive } = context;
  const answer = await call(startLogin, { body: args.id === undefined ? {} : { id: args.id } });
  const opened = interactive && !options.print && (await openBrowser(answer.url, context.env));
  return {
    json: { ...answer, opened },
    text: () => (opened ? 'Opened in your browser.' : answer.url),
  };
};
