import { err, ok } from '../lib/result.ts';
import type { CommitId, Worktree, Worktrees } from '../ports/repository.ts';
import { type Files, type ObjectStore, threeWay } from './object-store.ts';

/** What lies in a checkout: its files as they are now, and a merge that is open. */
export type Workplace = {
  readonly owner: string;
  readonly path: string;
  readonly branch: string | null;
  readonly reused: boolean;
  head: CommitId;
  files: Map<string, string>;
  merging: CommitId | null;
};

export type MemoryWorktrees = {
  readonly port: Worktrees;
  /** The checkout at a path, for the programs that run there. */
  at(path: string): Workplace | null;
  owners(): string[];
  /** What an agent does that commits by itself. */
  commit(place: Workplace, message: string, at: number): CommitId | null;
};

// oxlint-disable-next-line max-lines-per-function -- one method for each promise of the port
export function memoryWorktrees(
  store: ObjectStore,
  branches: Map<string, CommitId>,
): MemoryWorktrees {
  const lent = new Map<string, Workplace>();
  const free: string[] = [];
  let paths = 0;
  const filesAt = (at: CommitId): Map<string, string> =>
    new Map(store.files(store.find(at)?.tree ?? ''));
  const moveTo = (place: Workplace, to: CommitId): void => {
    place.head = to;
    if (place.branch !== null) branches.set(place.branch, to);
  };
  const commit: MemoryWorktrees['commit'] = (place, message, at) => {
    if (same(place.files, filesAt(place.head))) return null;
    const made = store.commit(place.files, [place.head], message, at);
    moveTo(place, made);
    return made;
  };
  const seen = (place: Workplace): Worktree => ({
    owner: place.owner,
    path: place.path,
    gitDir: `${place.path}/.git`,
    branch: place.branch,
    head: place.head,
    reused: place.reused,
  });
  const port: Worktrees = {
    async acquire({ owner, branch, startPoint }) {
      const mine = lent.get(owner);
      if (mine !== undefined) return ok(seen(mine));
      if (store.find(startPoint) === null)
        return err({ kind: 'unknown_revision', revision: startPoint });
      const rival = [...lent.values()].find((each) => branch !== null && each.branch === branch);
      if (rival !== undefined && branch !== null)
        return err({ kind: 'name_taken', name: branch, by: branch });
      const before = branch === null ? undefined : branches.get(branch);
      if (before !== undefined && !store.history(before).has(startPoint))
        return err({ kind: 'branch_diverged', branch: branch ?? '', head: before });
      const head = before ?? startPoint;
      if (branch !== null) branches.set(branch, head);
      const old = free.shift();
      const path = old ?? `/memory/worktrees/${(paths += 1)}`;
      const place: Workplace = {
        owner,
        path,
        branch,
        head,
        reused: old !== undefined,
        files: filesAt(head),
        merging: null,
      };
      lent.set(owner, place);
      return ok(seen(place));
    },
    warm: async (wanted) =>
      store.find(wanted) === null
        ? err({ kind: 'unknown_revision', revision: wanted })
        : ok(undefined),
    async find(owner) {
      const place = lent.get(owner);
      return ok(place === undefined ? null : seen(place));
    },
    list: async () => ok([...lent.values()].map(seen)),
    async release(owner) {
      const place = lent.get(owner);
      if (place !== undefined) free.push(place.path);
      lent.delete(owner);
      return ok(undefined);
    },
    async prune(owners) {
      const gone = [...lent.values()].filter(({ owner }) => !owners.includes(owner));
      for (const { owner } of gone) lent.delete(owner);
      return ok(gone.map(({ path }) => path));
    },
    prepare: async () => ok({ cached: false }),
    async state({ owner }) {
      const place = lent.get(owner);
      if (place === undefined) return ok('clean');
      if (place.merging !== null) return ok('merging');
      return ok(same(place.files, filesAt(place.head)) ? 'clean' : 'dirty');
    },
    async rescue({ owner }, text, { concludeMerge = false } = {}) {
      const place = lent.get(owner);
      if (place === undefined)
        return err({ kind: 'errored', reason: 'io', what: 'rescue', detail: 'it is gone' });
      const merged = concludeMerge && place.merging !== null ? [place.merging] : [];
      if (same(place.files, filesAt(place.head)) && merged.length === 0)
        return ok({ saved: false, head: place.head });
      const made = store.commit(place.files, [place.head, ...merged], text.message, text.at);
      const state = place.merging === null ? 'dirty' : 'merging';
      if (merged.length > 0) place.merging = null;
      moveTo(place, made);
      return ok({ saved: true, commit: made, ref: place.branch ?? '', state, skipped: [] });
    },
    async startMerge({ owner }, other) {
      const place = lent.get(owner);
      if (place === undefined || store.find(other) === null)
        return err({ kind: 'unknown_revision', revision: other });
      const base = store.mergeBase(place.head, other);
      const merged = threeWay(
        base === null ? new Map<string, string>() : filesAt(base),
        filesAt(place.head),
        filesAt(other),
      );
      for (const path of merged.conflicts) merged.files.set(path, CONFLICTED);
      place.files = merged.files;
      place.merging = other;
      return ok({ conflicts: merged.conflicts });
    },
  };
  return {
    port,
    commit,
    at: (path) => [...lent.values()].find((place) => place.path === path) ?? null,
    owners: () => [...lent.keys()],
  };
}

/** What stands in a file that collides until somebody resolves it. */
export const CONFLICTED = '<<<<<<<';

const same = (a: Files, b: Files): boolean =>
  a.size === b.size && [...a].every(([path, content]) => b.get(path) === content);
