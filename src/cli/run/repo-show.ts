import { showRepo } from '../../contract/routes/repos.ts';
import type { Run } from '../command.ts';
import type { repoShow } from '../commands/repos.ts';

export const run: Run<typeof repoShow> = async (context) => {
  const answer = await context.call(showRepo, { params: { name: context.args.name } });
  return {
    json: answer,
    text: async () => (await import('../render/repo-view.ts')).repoPage(answer, context),
  };
};
