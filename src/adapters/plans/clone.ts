import { createHash, randomBytes } from 'node:crypto';
import { mkdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { err, ok, type Result } from '../../lib/result.ts';
import type { SourceProblem } from '../../ports/plans.ts';
import { safeGit } from './safe-git.ts';

const NETWORK_MS = 120_000;

export type Clone = { readonly root: string; readonly stale: string | null };

/** Brings a shallow clone of an address up to date, or says what an earlier one can still offer. */
export async function shallowClone(
  address: string,
  clonesDir: string,
  env: NodeJS.ProcessEnv,
): Promise<Result<Clone, SourceProblem>> {
  const root = join(clonesDir, folderOf(address));
  const present = (await stat(join(root, '.git')).catch(() => null)) !== null;
  if (!present) return first(address, clonesDir, root, env);
  const failure = await refresh(root, env);
  return ok({ root, stale: failure });
}

async function first(
  address: string,
  clonesDir: string,
  root: string,
  env: NodeJS.ProcessEnv,
): Promise<Result<Clone, SourceProblem>> {
  await mkdir(clonesDir, { recursive: true });
  // Made aside and moved into place whole: a clone cut short is never taken for one.
  const draft = join(clonesDir, `.new-${randomBytes(6).toString('hex')}`);
  const args = ['clone', '--quiet', '--depth', '1', '--no-tags', '--single-branch'];
  const more = ['--no-recurse-submodules', '--template=', '--', address, draft];
  const call = { args: [...args, ...more], cwd: clonesDir, network: true, timeoutMs: NETWORK_MS };
  const { code, stderr } = await safeGit(call, env);
  if (code !== 0) {
    await rm(draft, { recursive: true, force: true });
    return err({ kind: 'remote-refused', target: shown(address), detail: lastLine(stderr) });
  }
  try {
    await rename(draft, root);
  } catch {
    // Somebody else was faster; theirs is as good.
    await rm(draft, { recursive: true, force: true });
  }
  return ok({ root, stale: null });
}

/** Null when the clone is what the remote has now, otherwise why it may not be. */
async function refresh(root: string, env: NodeJS.ProcessEnv): Promise<string | null> {
  const fetch = ['fetch', '--quiet', '--depth', '1', '--no-tags', 'origin', 'HEAD'];
  const got = await safeGit({ args: fetch, cwd: root, network: true, timeoutMs: NETWORK_MS }, env);
  if (got.code !== 0) return lastLine(got.stderr);
  const moved = await safeGit(
    { args: ['reset', '--quiet', '--hard', 'FETCH_HEAD'], cwd: root },
    env,
  );
  if (moved.code !== 0) return lastLine(moved.stderr);
  const swept = await safeGit({ args: ['clean', '-ffdxq'], cwd: root }, env);
  return swept.code === 0 ? null : lastLine(swept.stderr);
}

const lastLine = (text: string): string =>
  shown(
    text
      .trim()
      .split('\n')
      .findLast((line) => line.trim() !== '') ?? 'no answer',
  );

const shown = (text: string): string => text.replaceAll(/\/\/[^/@\s]*@/g, '//');

function folderOf(address: string): string {
  const name = shown(address)
    .replace(/^\w+:\/\//, '')
    .replace(/\.git$/, '')
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .slice(-60)
    .replace(/^[.-]+/, '');
  return `${name}-${createHash('sha256').update(address).digest('hex').slice(0, 8)}`;
}
