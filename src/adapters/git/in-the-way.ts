import { lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { ok, type Result } from '../../lib/result.ts';
import type { CommitId, NoAnswer } from '../../ports/repository.ts';
import { compare } from './compare.ts';
import { fields, type Checkout, type Git } from './git.ts';

/**
 * Files of the user's that a move from one commit to another would overwrite.
 *
 * `read-tree` protects untracked files but takes ignored ones for expendable; here nothing is.
 */
export async function filesInTheWay(
  git: Git,
  checkout: Checkout,
  from: CommitId,
  to: CommitId,
): Promise<Result<readonly string[], NoAnswer>> {
  const listed = await compare(git, from, to, ['-r', '-z', '--name-status', '--no-renames']);
  if (!listed.ok) return listed;
  const changes = fields(listed.value.stdout.toString('utf8'));
  const of = (status: string): string[] =>
    changes.filter((_, at) => at % 2 === 1 && changes[at - 1] === status);
  // Where names ignore case, a file renamed to another case is its own obstacle.
  const leaving = new Set(of('D').map((path) => path.toLowerCase()));
  const found = new Set<string>();
  for (const path of of('A')) {
    const obstacle = await firstObstacle(checkout.path, path);
    if (obstacle === null || leaving.has(obstacle.path.toLowerCase())) continue;
    if (!obstacle.directory) found.add(obstacle.path);
    else {
      const inside = await git.inside(checkout).read(['ls-files', '-z', '--others', '--', path]);
      if (!inside.ok) return inside;
      for (const file of fields(inside.value)) found.add(file);
    }
  }
  return ok([...found]);
}

/** The file itself, or a file where one of its folders should be. */
async function firstObstacle(
  root: string,
  path: string,
): Promise<{ path: string; directory: boolean } | null> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth += 1) {
    const part = parts.slice(0, depth).join('/');
    const found = await lstat(join(root, part)).catch(() => null);
    if (found === null) return null;
    if (!found.isDirectory()) return { path: part, directory: false };
  }
  return { path, directory: true };
}
