import { lstat, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SECRETS_FILE } from '../../domain/ship/plan/secret-staging.ts';
import type { SecretsFile } from '../../ports/plans.ts';
import { parseEnv } from './run-variables.ts';
import { safeGit } from './safe-git.ts';

const FOR_OTHERS = 0o077;
const MOST_BYTES = 256 * 1024;

/** Reads the secrets beside a repository's files, unless somebody else could read them as well. */
export async function readSecretsFile(root: string, env: NodeJS.ProcessEnv): Promise<SecretsFile> {
  const file = join(root, SECRETS_FILE);
  const stat = await lstat(file).catch(() => null);
  if (stat === null) return { kind: 'absent' };
  if (!stat.isFile()) return refused(`${SECRETS_FILE} is not a plain file.`);
  if ((stat.mode & FOR_OTHERS) !== 0)
    return refused(`${SECRETS_FILE} can be read by others; chmod 600 ${SECRETS_FILE}.`);
  if (stat.size > MOST_BYTES) return refused(`${SECRETS_FILE} is too large to hold only secrets.`);
  const shown = await shownToGit(root, env);
  if (shown !== null) return refused(shown);
  return { kind: 'read', values: parseEnv(await readFile(file, 'utf8')) };
}

/** Why git would carry the file on, or null when it never would. */
async function shownToGit(root: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const ask = async (...args: string[]) => (await safeGit({ args, cwd: root }, env)).code;
  if ((await ask('rev-parse', '--is-inside-work-tree')) !== 0) return null;
  if ((await ask('ls-files', '--error-unmatch', '--', SECRETS_FILE)) === 0)
    return `${SECRETS_FILE} is tracked by git; git rm --cached it, ignore it, and change the secrets.`;
  return (await ask('check-ignore', '--quiet', '--', SECRETS_FILE)) === 0
    ? null
    : `${SECRETS_FILE} is not ignored by git; add it to .gitignore.`;
}

const refused = (reason: string): SecretsFile => ({ kind: 'refused', reason });
