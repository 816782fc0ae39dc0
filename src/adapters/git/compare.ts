import { err, ok, type Result } from '../../lib/result.ts';
import type { CommitId, NoAnswer } from '../../ports/repository.ts';
import { diffBetween } from './diff-answers.ts';
import { failed, resolveAs, type Git } from './git.ts';

export type Compared = { readonly stdout: Buffer; readonly truncated: boolean };

/** What `diff-tree` prints about two commits: by the git that stays, or where that has no answer by one of its own. */
export async function compare(
  git: Git,
  from: CommitId,
  to: CommitId,
  options: readonly string[],
  maxBytes?: number,
): Promise<Result<Compared, NoAnswer>> {
  const [before, after] = await Promise.all([
    resolveAs(git, from, 'tree'),
    resolveAs(git, to, 'tree'),
  ]);
  if (before.ok && after.ok) {
    const question = diffBetween(before.value, after.value);
    const said = await git.staying.diffs(options.join(' ')).ask(question);
    if (said.ok && said.value.length <= (maxBytes ?? Infinity))
      return ok({ stdout: said.value, truncated: false });
  }
  const args = ['diff-tree', ...options, '--end-of-options', from, to, '--'];
  const limit = maxBytes === undefined ? {} : { maxBytes, truncate: true };
  const done = await git.run({ args, ...limit });
  if (!done.ok) return done;
  return done.value.code === 0 ? ok(done.value) : err(failed(args, done.value));
}
