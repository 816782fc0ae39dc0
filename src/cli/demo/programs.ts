import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { Stop } from '../stop.ts';

const execute = promisify(execFile);

/** Runs git in a repository of the demo; a no ends the demo with what git said. */
export async function git(repository: string, ...args: string[]): Promise<string> {
  try {
    const { stdout } = await execute('git', [...AS_DEMO, ...args], { cwd: repository });
    return stdout.trimEnd();
  } catch (error) {
    const said = error instanceof Error ? error.message : String(error);
    throw new Stop({
      kind: 'unavailable',
      code: 'demo_git',
      message: `git ${args[0]} did not work in ${repository}.`,
      cause: said.trim(),
      remedy: 'The demo needs git 2.38 or newer on the PATH.',
    });
  }
}

/** Whatever the user has configured: no hooks, no signing, a name of our own. */
const AS_DEMO = [
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'commit.gpgsign=false',
  '-c',
  'user.name=Convoy demo',
  '-c',
  'user.email=demo@convoy.invalid',
];
