import { unwatchConvoy } from '../../contract/routes/convoys.ts';
import type { Run } from '../command.ts';
import type { unwatch } from '../commands/convoys.ts';
import { convoyOutcome } from './convoy-outcome.ts';
import { watcherName } from './watcher-name.ts';

export const run: Run<typeof unwatch> = async (context) => {
  const { args, options, call, env } = context;
  const name = watcherName(options.as, env);
  const answer = await call(unwatchConvoy, { params: { id: args.convoy }, body: { name } });
  return convoyOutcome(context, answer, [
    `${answer.already ? 'Was not watching' : 'No longer watching'} as ${name}.`,
  ]);
};
