import type { MisdeedJson } from '../../contract/schemas/task.ts';
import type { Attempt } from '../../domain/work/attempt.ts';

/** What the agents of these attempts did outside their worktrees, the first attempt first. */
export const misdeedsView = (attempts: readonly Attempt[]): MisdeedJson[] =>
  attempts.flatMap(({ id, number, misdeeds = [] }) =>
    misdeeds.map((text) => ({ attempt: id, number, text })),
  );
