import { editConvoy } from '../../contract/routes/convoys.ts';
import { refused, type Run } from '../command.ts';
import type { edit } from '../commands/convoys.ts';
import { convoyFields } from './convoy-fields.ts';
import { convoyOutcome } from './convoy-outcome.ts';

export const run: Run<typeof edit> = async (context) => {
  const { args, options, call } = context;
  const body = { ...(await convoyFields(options, call)), title: options.title };
  if (Object.values(body).every((value) => value === undefined)) {
    return refused({
      kind: 'invalid',
      code: 'nothing_to_change',
      message: 'Nothing to change was named',
      remedy: "'convoy help edit' lists what can be changed.",
    });
  }
  return convoyOutcome(context, await call(editConvoy, { params: { id: args.convoy }, body }));
};
