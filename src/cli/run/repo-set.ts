import { setRepo } from '../../contract/routes/repos.ts';
import type { Run } from '../command.ts';
import type { repoSet } from '../commands/repos.ts';
import { split, usage } from './convoy-fields.ts';
import { repoOutcome } from './repo-outcome.ts';
import { settingFrom } from './setting.ts';

export const run: Run<typeof repoSet> = async ({ args, call }) => {
  const set = args.settings.map((pair): [string, unknown] => {
    const [key, value] = split(pair);
    if (value === undefined || key === '') throw usage(`${pair} is no setting`, 'Write key=value');
    return [key, settingFrom(value)];
  });
  const body = { set: Object.fromEntries(set) };
  return repoOutcome(await call(setRepo, { params: { name: args.name }, body }));
};
