import { authorPlan } from '../../domain/ship/author/author-plan.ts';
import { err, ok } from '../../lib/result.ts';
import type { Author, AuthorPlace } from '../../ports/author.ts';
import { collectCarry } from './carry-over.ts';
import { commitOf } from './git-steps.ts';
import { lintFile } from './lint.ts';
import { perform } from './perform.ts';
import { sha256, surveyRepository } from './survey-repository.ts';

/** The author stage on a real repository. */
export function gitAuthor(place: AuthorPlace): Author {
  return {
    survey: (lanes, project) => surveyRepository(place, lanes, project),
    plan: async (input) => {
      const surveyed = await surveyRepository(place, input.lanes, input.project);
      if (!surveyed.ok) return surveyed;
      const { base } = surveyed.value;
      return ok({ ...authorPlan({ ...input, ...surveyed.value, sha256, lint: lintFile }), base });
    },
    carry: async () => {
      const head = await commitOf(place.git, 'HEAD');
      if (!head.ok) return head;
      if (head.value === null) return err({ kind: 'no_commit' });
      return collectCarry(place, head.value);
    },
    perform: (request) => perform(place, request),
    release: (owner) => place.worktrees.release(owner),
  };
}
