import { closeConvoy } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { close } from '../commands/convoys.ts';
import { convoyOutcome } from './convoy-outcome.ts';
import { openPulls } from './open-pulls.ts';

export const run: Run<typeof close> = async (context) => {
  const { args, options, call } = context;
  const body = {
    reason: options.reason,
    force: options.force,
    close_prs: options.closePrs,
  };
  const answer = await call(closeConvoy, { params: { id: args.convoy }, body });
  return convoyOutcome(context, answer, openPulls(answer.convoy));
};
