import { resolve } from 'node:path';
import { addRepo } from '../../contract/routes/repos.ts';
import type { Run } from '../command.ts';
import type { repoAdd } from '../commands/repos.ts';
import { repoOutcome } from './repo-outcome.ts';

export const run: Run<typeof repoAdd> = async ({ args, options, call, cwd }) => {
  const place = isAddress(args.source) ? { url: args.source } : { path: resolve(cwd, args.source) };
  const { name, prefix, target, agent } = options;
  return repoOutcome(await call(addRepo, { body: { ...place, name, prefix, target, agent } }));
};

/** `https://…`, `ssh://…`, `git@host:path` */
const isAddress = (source: string): boolean =>
  /^[a-z][a-z0-9+.-]*:\/\//i.test(source) || /^[^/\s]+@[^/\s]+:/.test(source);
