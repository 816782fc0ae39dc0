import { realpath, stat } from 'node:fs/promises';
import { isAbsolute } from 'node:path';
import type { ScanResult } from '../../domain/ship/scan/lane.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { FileTree } from '../../ports/file-tree.ts';
import type { Located, SourceProblem, Sources } from '../../ports/plans.ts';
import { shallowClone } from './clone.ts';
import { markOf } from './repository-mark.ts';
import { readSecretsFile } from './secrets-file.ts';

export type SourceParts = {
  /** Where clones are kept; null when there is no workspace to keep them in. */
  readonly clonesDir: string | null;
  readonly env: NodeJS.ProcessEnv;
  readonly tree: (root: string) => FileTree;
  readonly scan: (tree: FileTree) => Promise<ScanResult>;
};

/** Repositories on this machine and behind addresses. */
export function openSources(parts: SourceParts): Sources {
  const { tree, scan, env } = parts;
  return {
    locate: (target) => locate(target, parts),
    mark: (root) => markOf(root, env, async () => (await tree(root).list()).files),
    scan: (root) => scan(tree(root)),
    secrets: (root) => readSecretsFile(root, env),
  };
}

async function locate(
  target: string,
  { clonesDir, env }: SourceParts,
): Promise<Result<Located, SourceProblem>> {
  // A relative path would mean another place in another process.
  const found = isAbsolute(target) ? await stat(target).catch(() => null) : null;
  if (found?.isDirectory() === true)
    return ok({ root: await realpath(target), source: target, origin: 'directory', stale: null });
  if (found !== null) return err({ kind: 'not-a-directory', target });
  const address = addressOf(target);
  if (address === null) return err({ kind: 'not-found', target });
  if (clonesDir === null) return err({ kind: 'no-place', target });
  const clone = await shallowClone(address, clonesDir, env);
  if (!clone.ok) return clone;
  return ok({ ...clone.value, source: target.replace(/\/\/[^/@]*@/, '//'), origin: 'clone' });
}

const GITHUB = 'https://github.com';

/** The address that a URL, an scp-like word or owner/name means; null for anything else. */
export function addressOf(target: string): string | null {
  if (/^(?:https?|ssh|git):\/\/[^\s]+$/.test(target)) return target;
  if (/^[\w.-]+@[\w.-]+:[\w./~-]+$/.test(target)) return target;
  // A word that begins with a dash would be read as an option further down the road.
  if (/^[A-Za-z0-9][\w.-]*\/[A-Za-z0-9_][\w.-]*$/.test(target)) return `${GITHUB}/${target}.git`;
  return null;
}
