import { readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';

// Where packages come from is needed for an install; who we are there (tokens, passwords) is not.
const KEPT =
  /^\s*(?:registry|@[\w.-]+:registry|cafile|proxy|https-proxy|noproxy|strict-ssl|fetch-retries)\s*=/;
const CREDENTIALS_IN_URL = /:\/\/[^/\s]*@/;

/** Gives the scratch home the addresses of the user's npm settings, without credentials. */
export async function carryPackageSettings(home: string): Promise<void> {
  const text = await readFile(join(homedir(), '.npmrc'), 'utf8').catch(() => '');
  const kept = text
    .split('\n')
    .filter((line) => KEPT.test(line) && !CREDENTIALS_IN_URL.test(line) && !line.includes('${'));
  const quiet = ['update-notifier=false', 'fund=false', 'audit=false'];
  await writeFile(join(home, '.npmrc'), [...kept, ...quiet, ''].join('\n'));
}
