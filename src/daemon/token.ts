import { randomBytes } from 'node:crypto';
import { openSync, closeSync, readFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/** The operator's token of a workspace; made once, readable by its owner only. */
export function operatorToken(dir: string): string {
  const file = join(dir, 'token');
  try {
    const handle = openSync(file, 'wx', 0o600);
    writeSync(handle, `${randomBytes(32).toString('base64url')}\n`);
    closeSync(handle);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
  }
  return readFileSync(file, 'utf8').trim();
}
