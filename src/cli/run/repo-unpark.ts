import { unparkRepo } from '../../contract/routes/repos.ts';
import type { Run } from '../command.ts';
import type { repoUnpark } from '../commands/repos.ts';
import { repoOutcome } from './repo-outcome.ts';

export const run: Run<typeof repoUnpark> = async ({ args, call }) =>
  repoOutcome(await call(unparkRepo, { params: { name: args.name } }));
