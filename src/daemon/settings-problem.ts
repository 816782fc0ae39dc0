import type { Problem } from '../contract/problem.ts';
import type { SettingsProblem } from '../ports/settings.ts';

/** A problem of the configuration as everybody else sees it. */
export const problemOf = (
  problem: SettingsProblem,
  kind: Problem['kind'] = 'invalid',
): Problem => ({
  kind,
  code: problem.code,
  message: problem.message,
  ...(problem.remedy === undefined ? {} : { remedy: problem.remedy }),
});
