import type { RepoJson } from '../../contract/routes/repos.ts';
import type { Shown } from '../command.ts';

/** A repository after a change to it, in a line. */
export const repoOutcome = (answer: { repo: RepoJson }): Shown => ({
  json: answer,
  text: async () => (await import('../render/repo-view.ts')).repoLine(answer.repo),
});
