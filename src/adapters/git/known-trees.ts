import type { CommitId, TreeId } from '../../ports/repository.ts';
import type { View } from './view.ts';

/** The trees of commits that we made ourselves: the same ones are merged onto at once. */
const known = new WeakMap<View, Map<CommitId, TreeId>>();
const MOST = 1000;

export function rememberTree(view: View, commit: CommitId, tree: TreeId): void {
  const of = known.get(view) ?? new Map<CommitId, TreeId>();
  known.set(view, of);
  if (of.size >= MOST) of.clear();
  of.set(commit, tree);
}

export const knownTree = (view: View, commit: CommitId): TreeId | null =>
  known.get(view)?.get(commit) ?? null;
