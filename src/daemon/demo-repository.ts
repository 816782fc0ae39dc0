import { execFile } from 'node:child_process';
import { cp, mkdir, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Problem } from '../contract/problem.ts';
import { err, ok, type Result } from '../lib/result.ts';
import type { Variables } from './services.ts';

/** A time that never changes, so that every demo begins at the same commit. */
const BEGINNING = '2024-01-01T00:00:00Z';

/** Puts the example service into a repository of its own, where a demo may do what it likes. */
export async function demoRepository(
  example: string,
  into: string,
  env: Variables,
): Promise<Result<{ path: string }, Problem>> {
  if ((await stat(join(into, '.git')).catch(() => null)) !== null) return ok({ path: into });
  try {
    await rm(into, { recursive: true, force: true });
    await mkdir(dirname(into), { recursive: true });
    await cp(example, into, { recursive: true });
    const git = (...args: string[]) => runGit(into, args, env);
    await git('init', '--quiet', '--initial-branch=main');
    await git('add', '--all');
    await git('commit', '--quiet', '--message=The example service');
    return ok({ path: into });
  } catch (error) {
    await rm(into, { recursive: true, force: true });
    return err({
      kind: 'unavailable',
      code: 'demo_failed',
      message: 'The example service could not be set up.',
      cause: error instanceof Error ? error.message : String(error),
      remedy: 'It needs git and room on the disk; convoy doctor checks both.',
    });
  }
}

const SETTINGS = ['core.hooksPath=/dev/null', 'commit.gpgSign=false', 'core.autocrlf=false'];

async function runGit(cwd: string, args: readonly string[], env: Variables): Promise<void> {
  const argv = [...SETTINGS.flatMap((setting) => ['-c', setting]), ...args];
  await promisify(execFile)('git', argv, {
    cwd,
    env: {
      PATH: env['PATH'],
      HOME: env['HOME'],
      LC_ALL: 'C',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_CONFIG_GLOBAL: '/dev/null',
      GIT_AUTHOR_NAME: 'Convoy demo',
      GIT_AUTHOR_EMAIL: 'demo@convoy.invalid',
      GIT_AUTHOR_DATE: BEGINNING,
      GIT_COMMITTER_NAME: 'Convoy demo',
      GIT_COMMITTER_EMAIL: 'demo@convoy.invalid',
      GIT_COMMITTER_DATE: BEGINNING,
    },
  });
}
