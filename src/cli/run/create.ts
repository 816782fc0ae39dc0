import { createConvoy } from '../../contract/routes/convoys.ts';
import { refused, type Run } from '../command.ts';
import type { create } from '../commands/convoys.ts';
import { convoyFields } from './convoy-fields.ts';
import { convoyOutcome } from './convoy-outcome.ts';
import { startEngine } from './start-engine.ts';

export const run: Run<typeof create> = async (context) => {
  const { args, options, call } = context;
  if (args.name === undefined && options.fromEpic === undefined) {
    return refused({
      kind: 'invalid',
      code: 'missing_argument',
      message: 'A convoy needs a name, or an epic to take it from',
      remedy: 'Usage: convoy create [options] <name> [ids...]\nor: convoy create --from-epic <id>',
    });
  }
  const answer = await call(createConvoy, {
    body: {
      ...(await convoyFields(options, call)),
      title: args.name,
      tasks: [...args.ids],
      from_epic: options.fromEpic,
      launch: options.launch,
    },
  });
  if (options.launch) {
    const up = await startEngine(context);
    if (!up.ok) return refused(up.error);
  }
  return convoyOutcome(context, answer);
};
