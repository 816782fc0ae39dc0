import type { Change } from '../../domain/merge/change.ts';
import { type Stack, stackKey } from '../../domain/merge/queue-view.ts';
import type { ChangeId } from '../../domain/work/ids.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { Repository, Strategy } from '../../ports/repository.ts';

/** A stack and the commit that stands for it; nothing points at the commit yet. */
export type Built = Stack & {
  readonly commit: string;
  readonly conflicts: ReadonlyMap<ChangeId, readonly string[]>;
};

/**
 * What one change gave on one commit, or will: stacks that begin alike are merged side by side. Merges are
 * deterministic, so it is true for ever.
 */
export type KnownMerges = Map<string, ReturnType<Repository['merges']['build']>>;

const MOST_KNOWN = 10_000;

/**
 * Merges changes one after the other onto a commit, leaving out what conflicts. The same changes on
 * the same base give the same commit, also after a restart: every date is the change's own.
 */
export async function buildStack(
  repository: Repository,
  strategy: Strategy,
  base: string,
  members: readonly ChangeId[],
  changes: ReadonlyMap<ChangeId, Change>,
  titles: ReadonlyMap<string, string>,
  known: KnownMerges,
): Promise<Result<{ key: string; built: Built }, string>> {
  let commit = base;
  let tree: string | null = null;
  const inside: ChangeId[] = [];
  const leftOut: ChangeId[] = [];
  const conflicts = new Map<ChangeId, readonly string[]>();
  for (const id of members) {
    const change = changes.get(id);
    if (change === undefined) {
      leftOut.push(id);
      continue;
    }
    const text = { message: subjectOf(change, titles), at: change.enqueuedAt };
    const name = JSON.stringify([strategy, commit, change.head, text]);
    if (known.size >= MOST_KNOWN) known.clear();
    const building =
      known.get(name) ?? repository.merges.build(strategy, commit, change.head, text);
    known.set(name, building);
    const built = await building;
    if (built.ok) {
      ({ commit, tree } = built.value);
      inside.push(id);
    } else if (built.error.kind === 'errored' || built.error.kind === 'stopped') {
      known.delete(name);
      return err(`git did not answer: ${built.error.kind}`);
    } else {
      leftOut.push(id);
      conflicts.set(id, 'files' in built.error ? built.error.files : []);
    }
  }
  const whole = tree === null ? await repository.facts.treeOf(commit) : ok(tree);
  if (!whole.ok) return err(`git did not answer: ${whole.error.kind}`);
  return ok({
    key: stackKey(base, members),
    built: { tree: whole.value, members: inside, leftOut, commit, conflicts },
  });
}

function subjectOf(change: Change, titles: ReadonlyMap<string, string>): string {
  const title = titles.get(change.task) ?? change.task;
  return change.landing === true ? `Land ${title}` : `Merge ${change.task}: ${title}`;
}
