import { getConfig } from '../../contract/routes/system.ts';
import { refused, type Run } from '../command.ts';
import type { configGet } from '../commands/system.ts';
import { clean } from '../render/clean.ts';
import { valuesUnder, valueText } from './config-values.ts';

export const run: Run<typeof configGet> = async ({ args, call }) => {
  const found = valuesUnder((await call(getConfig, {})).values, args.key);
  const [first] = found;
  if (first === undefined) {
    return refused({
      kind: 'not_found',
      code: 'no_such_setting',
      message: `There is no setting ${args.key}`,
      remedy: "'convoy config explain' lists the settings.",
    });
  }
  if (first.key === args.key) {
    return { json: { ...first }, text: () => clean(valueText(first.value)) };
  }
  return {
    json: { key: args.key, values: found },
    text: () => found.map(({ key, value }) => clean(`${key} = ${JSON.stringify(value)}`)),
  };
};
