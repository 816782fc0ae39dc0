import { addToConvoy } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { add } from '../commands/convoys.ts';
import { convoyOutcome } from './convoy-outcome.ts';

export const run: Run<typeof add> = async (context) => {
  const { args, call } = context;
  const body = { tasks: [...args.tasks] };
  const answer = await call(addToConvoy, { params: { id: args.convoy }, body });
  return convoyOutcome(context, answer, [
    answer.added.length === 0 ? 'Nothing new.' : `Added ${answer.added.join(', ')}`,
  ]);
};
