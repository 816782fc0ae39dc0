import { cancelConvoy } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { cancel } from '../commands/convoys.ts';
import { convoyOutcome } from './convoy-outcome.ts';
import { openPulls } from './open-pulls.ts';

export const run: Run<typeof cancel> = async (context) => {
  const { args, options, call } = context;
  if (args.id.startsWith('run-')) return (await import('./ship-resume.ts')).cancelShip(context);
  const body = { reason: options.reason, close_prs: options.closePrs };
  const answer = await call(cancelConvoy, { params: { id: args.id }, body });
  return convoyOutcome(context, answer, openPulls(answer.convoy));
};
