import { listRepos } from '../../contract/routes/repos.ts';
import type { Run } from '../command.ts';
import type { repoList } from '../commands/repos.ts';

export const run: Run<typeof repoList> = async (context) => {
  const answer = await context.call(listRepos, {});
  return {
    json: answer,
    text: async () => {
      if (answer.repos.length === 0) return "No repository. 'convoy repo add <path>' adds one.";
      return (await import('../render/repo-view.ts')).repoTable(answer.repos, context);
    },
  };
};
