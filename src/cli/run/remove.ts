import { removeFromConvoy } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { remove } from '../commands/convoys.ts';
import { convoyOutcome } from './convoy-outcome.ts';

export const run: Run<typeof remove> = async (context) => {
  const { args, options, call } = context;
  const body = { tasks: [...args.tasks], dry_run: options.dryRun };
  const answer = await call(removeFromConvoy, { params: { id: args.convoy }, body });
  const { removed, untracked, released } = answer;
  const notes = [
    [options.dryRun ? 'Would remove' : 'Removed', removed],
    ['Was not in it', untracked],
    [options.dryRun ? 'Would become ready' : 'Became ready', released],
  ] as const;
  return convoyOutcome(
    context,
    answer,
    notes.filter(([, ids]) => ids.length > 0).map(([says, ids]) => `${says}: ${ids.join(', ')}`),
  );
};
