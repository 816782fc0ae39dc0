import { setConfig } from '../../contract/routes/system.ts';
import type { Run } from '../command.ts';
import type { configSet } from '../commands/system.ts';
import { cleanLine } from '../render/clean.ts';
import { usage } from './convoy-fields.ts';
import { settingFrom } from './setting.ts';

export const run: Run<typeof configSet> = async ({ args, options, call }) => {
  if ((args.value === undefined) !== options.remove) {
    throw usage(
      options.remove ? '--remove takes no value' : `No value for ${args.key}`,
      'Usage: convoy config set <key> <value>\nor: convoy config set <key> --remove',
    );
  }
  const body =
    args.value === undefined
      ? { remove: [args.key] }
      : { set: { [args.key]: settingFrom(args.value) } };
  const answer = await call(setConfig, { body });
  const said =
    answer.changed.length === 0 ? 'Nothing changed' : `Changed ${answer.changed.join(', ')}`;
  return { json: answer, text: () => cleanLine(`${said} in ${answer.path}`) };
};
