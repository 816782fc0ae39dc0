import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import type { CommitId, NoAnswer } from '../../ports/repository.ts';
import type { Git } from './git.ts';
import type { Protocol, Standing } from './standing.ts';

/** Stores the commit that a file of this name, next to where git stands, holds; answers its id. */
export type CommitWriter = Standing<string, CommitId>;

const DRAFTS = 'commits';
const LONGEST_ID = 64;

export const COMMITS: Protocol<string, CommitId> = {
  what: 'git hash-object',
  args: ['hash-object', '-t', 'commit', '-w', '--stdin-paths'],
  say: (name) => `../${DRAFTS}/${name}\n`,
  read: (text) => {
    const end = text.indexOf(10);
    if (end < 0) return text.length > LONGEST_ID ? 'nonsense' : null;
    const id = text.toString('latin1', 0, end);
    return /^[0-9a-f]{40,64}$/.test(id) ? { length: end + 1, answer: id } : 'nonsense';
  },
};

/** By the git that stays; null when it did not answer, and one of its own must say why. */
export async function storeCommit(
  git: Git,
  text: Buffer,
): Promise<Result<CommitId, NoAnswer> | null> {
  const name = randomBytes(12).toString('hex');
  const folder = join(git.view.nowhere, '..', DRAFTS);
  const file = join(folder, name);
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
    const said = await git.staying.commits.ask(name);
    if (said.ok) return ok(said.value);
    return said.error.kind === 'stopped' ? said : null;
  } catch {
    return null;
  } finally {
    rmSync(file, { force: true });
  }
}
