import { resumeConvoy } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { resume } from '../commands/convoys.ts';
import { convoyOutcome } from './convoy-outcome.ts';

export const run: Run<typeof resume> = async (context) => {
  const { args, options, call } = context;
  const { isRun, resumeShip } = await import('./ship-resume.ts');
  if (isRun(args.id)) return resumeShip(context);
  const body = { reason: options.reason };
  const answer = await call(resumeConvoy, { params: { id: args.id ?? '' }, body });
  return convoyOutcome(context, answer);
};
