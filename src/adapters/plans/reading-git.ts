import { ok } from '../../lib/result.ts';
import type { GitRunner } from '../../ports/author.ts';
import { safeGitBytes } from './safe-git.ts';

/** Git for looking at a repository while a plan is made; outside a repository everything is absent. */
export function readingGit(root: string, env: NodeJS.ProcessEnv, isRepository: boolean): GitRunner {
  return async ({ args, input }) => {
    if (!isRepository)
      return ok({ code: 1, stdout: Buffer.alloc(0), stderr: '', truncated: false });
    const call = { args, cwd: root, ...(input === undefined ? {} : { input }) };
    return ok({ ...(await safeGitBytes(call, env)), truncated: false });
  };
}
