import { join } from 'node:path';
import type { Assignment } from '../../ports/agent.ts';

export const promptFileOf = ({ directory }: Assignment): string => join(directory, 'prompt.md');

/** What a command agent sees of Convoy. */
export const contractVariables = (assignment: Assignment): Record<string, string> => ({
  CONVOY_TASK_ID: assignment.task.id,
  // A line end in a title would be one more way to confuse a shell script.
  CONVOY_TASK_TITLE: assignment.task.title.replaceAll(/\s+/g, ' ').replaceAll('\0', ''),
  CONVOY_TASK_TYPE: assignment.task.type,
  CONVOY_ATTEMPT: String(assignment.number),
  CONVOY_PROMPT_FILE: promptFileOf(assignment),
  CONVOY_WORKTREE: assignment.worktree,
  CONVOY_BRANCH: assignment.branch,
  CONVOY_BASE: assignment.base,
  CONVOY_CONVOY_ID: assignment.convoy,
  CONVOY_ROLE: assignment.role,
  CONVOY_URL: assignment.access.url,
  CONVOY_TOKEN: assignment.access.token,
  ...(assignment.review === undefined
    ? {}
    : {
        CONVOY_DIFF_FILE: assignment.review.diffFile,
        CONVOY_VERDICT_FILE: assignment.review.verdictFile,
      }),
});
