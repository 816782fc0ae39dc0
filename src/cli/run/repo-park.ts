import { parkRepo } from '../../contract/routes/repos.ts';
import type { Run } from '../command.ts';
import type { repoPark } from '../commands/repos.ts';
import { repoOutcome } from './repo-outcome.ts';

export const run: Run<typeof repoPark> = async ({ args, options, call }) => {
  const body = { reason: options.reason };
  return repoOutcome(await call(parkRepo, { params: { name: args.name }, body }));
};
