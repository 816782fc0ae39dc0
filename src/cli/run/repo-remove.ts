import { removeRepo } from '../../contract/routes/repos.ts';
import type { Run } from '../command.ts';
import type { repoRemove } from '../commands/repos.ts';
import { cleanLine } from '../render/clean.ts';

export const run: Run<typeof repoRemove> = async ({ args, options, call }) => {
  const answer = await call(removeRepo, {
    params: { name: args.name },
    query: { force: options.force ? 'true' : undefined },
  });
  return { json: answer, text: () => cleanLine(`Removed ${answer.removed}; its tasks stay.`) };
};
