import { resumeConvoy } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { resume } from '../commands/convoys.ts';
import { convoyOutcome } from './convoy-outcome.ts';

export const run: Run<typeof resume> = async (context) => {
  const { args, options, call } = context;
  const body = { reason: options.reason };
  return convoyOutcome(context, await call(resumeConvoy, { params: { id: args.convoy }, body }));
};
