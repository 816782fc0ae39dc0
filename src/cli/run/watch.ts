import { watchConvoy } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { watch } from '../commands/convoys.ts';
import { convoyOutcome } from './convoy-outcome.ts';
import { watcherName } from './watcher-name.ts';

export const run: Run<typeof watch> = async (context) => {
  const { args, options, call, env } = context;
  const name = watcherName(options.as, env);
  const answer = await call(watchConvoy, { params: { id: args.convoy }, body: { name } });
  return convoyOutcome(context, answer, [
    `${answer.already ? 'Already watching' : 'Watching'} as ${name}.`,
  ]);
};
