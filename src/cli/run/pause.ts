import { pauseConvoy } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { pause } from '../commands/convoys.ts';
import { convoyOutcome } from './convoy-outcome.ts';

export const run: Run<typeof pause> = async (context) => {
  const { args, options, call } = context;
  const body = { reason: options.reason };
  return convoyOutcome(context, await call(pauseConvoy, { params: { id: args.convoy }, body }));
};
