import { err, ok, type Result } from '../../lib/result.ts';
import type {
  Candidate,
  CommitId,
  CommitText,
  Merges,
  NoAnswer,
  Strategy,
  TreeId,
} from '../../ports/repository.ts';
import { unreachable } from '../../lib/unreachable.ts';
import { copyCommit, identityOf, writeCommit, type Identity } from './commit.ts';
import { attributesOf, inheritAttributes } from './attributes.ts';
import { fields, resolveAs, type Git } from './git.ts';
import { knownTree } from './known-trees.ts';
import { alreadyContained, mergeTrees, type MergeFailure } from './merge-trees.ts';

/** Merge, squash and rebase without a checkout. */
export function mergesOf(git: Git): Merges {
  return {
    mergeTrees: (ours, theirs) => mergeTrees(git, ours, theirs),
    alreadyContained: (source, target) => alreadyContained(git, source, target),
    build: (strategy, target, source, text) => build(git, strategy, target, source, text),
  };
}

const treeOf = async (git: Git, commit: CommitId): ReturnType<typeof resolveAs> => {
  const known = knownTree(git.view, commit);
  return known === null ? resolveAs(git, commit, 'tree') : ok(known);
};

type Built = Promise<Result<Candidate, MergeFailure>>;

async function build(
  git: Git,
  strategy: Strategy,
  target: CommitId,
  source: CommitId,
  text: CommitText,
): Built {
  const [merged] = await Promise.all([
    mergeTrees(git, target, source),
    // Needed to know those of the merge without a look at it.
    attributesOf(git, source),
  ]);
  if (!merged.ok && merged.error.kind !== 'conflict') return merged;
  const present = await treeOf(git, target);
  if (!present.ok) return present;
  // Also when the source is an ancestor: then it is the merge base itself, and changes nothing.
  if (merged.ok && merged.value === present.value) {
    return ok({ commit: target, tree: present.value, contained: true });
  }
  if (strategy === 'rebase') return rebase(git, target, source, text);
  if (!merged.ok) return merged;
  const parents = parentsOf(strategy, target, source);
  const made = await record(git, { tree: merged.value, parents, text });
  if (made.ok) inheritAttributes(git.view, made.value.commit, target, source);
  return made;
}

function parentsOf(
  strategy: Exclude<Strategy, 'rebase'>,
  target: CommitId,
  source: CommitId,
): CommitId[] {
  switch (strategy) {
    case 'merge':
      return [target, source];
    case 'squash':
      return [target];
    default:
      return unreachable(strategy);
  }
}

async function record(git: Git, content: Parameters<typeof writeCommit>[1]): Built {
  const identity = await identityOf(git);
  if (!identity.ok) return identity;
  const commit = await writeCommit(git, content, identity.value);
  if (!commit.ok) return commit;
  return ok({ commit: commit.value, tree: content.tree, contained: false });
}

/** Picks each commit of the source onto the target, as `git rebase` would. */
async function rebase(git: Git, target: CommitId, source: CommitId, text: CommitText): Built {
  const picks = await commitsToPick(git, target, source);
  if (!picks.ok) return picks;
  let head = target;
  for (const pick of picks.value) {
    const next = await pickOnto(git, pick, head, text.at);
    if (!next.ok) {
      return next.error.kind === 'conflict' ? err({ ...next.error, commit: pick.commit }) : next;
    }
    head = next.value;
  }
  const tree = await resolveAs(git, head, 'tree');
  return tree.ok ? ok({ commit: head, tree: tree.value, contained: head === target }) : tree;
}

type Pick = { readonly commit: CommitId; readonly parent: CommitId | null };

/** Oldest first; merges and changes that the target already has by patch are left out. */
async function commitsToPick(
  git: Git,
  target: CommitId,
  source: CommitId,
): Promise<Result<readonly Pick[], NoAnswer>> {
  const listed = await git.read([
    'log',
    '-z',
    '--reverse',
    '--topo-order',
    '--no-merges',
    '--right-only',
    '--cherry-pick',
    '--no-show-signature',
    '--format=%H %P',
    '--end-of-options',
    `${target}...${source}`,
    '--',
  ]);
  if (!listed.ok) return listed;
  return ok(
    fields(listed.value).map((line) => {
      const [commit = '', parent] = line.trim().split(' ');
      return { commit, parent: parent ?? null };
    }),
  );
}

async function pickOnto(
  git: Git,
  pick: Pick,
  head: CommitId,
  at: number,
): Promise<Result<CommitId, MergeFailure>> {
  if (pick.parent === head) return ok(pick.commit);
  const ours = await resolveAs(git, head, 'tree');
  if (!ours.ok) return ours;
  const identity = await identityOf(git);
  if (!identity.ok) return identity;
  const by = { ...identity.value, at };
  const merged = await threeWay(git, pick, ours.value, by);
  if (!merged.ok) return merged;
  if (merged.value === ours.value) {
    // A commit that became empty is dropped; one that always was empty is kept.
    const empty = await isEmpty(git, pick);
    if (!empty.ok) return empty;
    if (!empty.value) return ok(head);
  }
  return copyCommit(git, pick.commit, { tree: merged.value, parent: head }, by);
}

/**
 * A cherry-pick as an ordinary merge: a stand-in commit with our tree and the pick's own parent
 * makes that parent the merge base.
 */
async function threeWay(
  git: Git,
  pick: Pick,
  ours: TreeId,
  by: Identity & { at: number },
): Promise<Result<TreeId, MergeFailure>> {
  const parents = pick.parent === null ? [] : [pick.parent];
  const text = { message: 'stand-in', at: by.at };
  const standIn = await writeCommit(git, { tree: ours, parents, text }, by);
  if (!standIn.ok) return standIn;
  return mergeTrees(git, standIn.value, pick.commit, pick.parent === null ? 'allow' : 'refuse');
}

async function isEmpty(git: Git, pick: Pick): Promise<Result<boolean, MergeFailure>> {
  if (pick.parent === null) return ok(false);
  const before = await resolveAs(git, pick.parent, 'tree');
  if (!before.ok) return before;
  const after = await resolveAs(git, pick.commit, 'tree');
  return after.ok ? ok(before.value === after.value) : after;
}
