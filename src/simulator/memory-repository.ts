import { err, ok, type Result } from '../lib/result.ts';
import type {
  Branches,
  CommitId,
  Landing,
  Merges,
  NoAnswer,
  Remote,
  Repository,
  RepositoryFacts,
  UnknownRevision,
} from '../ports/repository.ts';
import type { MemoryOrigin } from './memory-origin.ts';
import { type MemoryWorktrees, memoryWorktrees } from './memory-worktrees.ts';
import { type ObjectStore, objectStore, type StoredCommit } from './object-store.ts';

/** A repository in memory: what git would say, without git. */
export type MemoryRepository = {
  readonly port: Repository;
  readonly store: ObjectStore;
  readonly branches: Map<string, CommitId>;
  readonly places: MemoryWorktrees;
};

/** The target of everything until somebody says otherwise. */
export const TRUNK = 'main';

/** With an origin it is a copy of what others have too; there may come to be one later. */
export function memoryRepository(
  store: ObjectStore = objectStore(),
  elsewhere: () => MemoryOrigin | null = () => null,
): MemoryRepository {
  const branches = new Map<string, CommitId>();
  const places = memoryWorktrees(store, branches);
  const ask = questions(store);
  return {
    store,
    branches,
    places,
    port: {
      facts: factsOf(store, branches, ask, elsewhere),
      branches: branchesOf(branches, ask),
      worktrees: places.port,
      merges: mergesOf(store, ask),
      landing: landingOf(store, branches, ask),
      remote: remoteOf(elsewhere),
    },
  };
}

type Known<T> = Result<T, UnknownRevision>;
type Questions = {
  commit(id: string): Known<StoredCommit>;
  /** Both are known, or the first that is not. */
  both(a: string, b: string): Known<readonly [StoredCommit, StoredCommit]>;
};

function questions(store: ObjectStore): Questions {
  const commit: Questions['commit'] = (id) => {
    const found = store.find(id);
    return found === null ? err({ kind: 'unknown_revision', revision: id }) : ok(found);
  };
  return {
    commit,
    both(a, b) {
      const [one, two] = [commit(a), commit(b)];
      if (!one.ok) return one;
      return two.ok ? ok([one.value, two.value] as const) : two;
    },
  };
}

// oxlint-disable-next-line max-lines-per-function -- one method for each question of the port
function factsOf(
  store: ObjectStore,
  branches: ReadonlyMap<string, CommitId>,
  ask: Questions,
  elsewhere: () => MemoryOrigin | null,
): RepositoryFacts {
  const ahead = (base: string, head: string): StoredCommit[] => {
    const before = store.history(base);
    return [...store.history(head)].flatMap((id) => {
      const found = before.has(id) ? null : store.find(id);
      return found === null ? [] : [found];
    });
  };
  return {
    describe: async () =>
      ok({
        bare: true,
        workTree: null,
        gitDir: '/memory',
        born: branches.size > 0,
        currentBranch: TRUNK,
        remotes: [elsewhere()].flatMap((origin) =>
          origin === null ? [] : [{ name: 'origin', url: origin.url }],
        ),
        submodules: false,
      }),
    defaultBranch: async () => ok(TRUNK),
    head: async (branch) => ok(branches.get(branch) ?? null),
    async resolve(revision) {
      const found = ask.commit(branches.get(revision) ?? revision);
      return found.ok ? ok(found.value.id) : err({ kind: 'unknown_revision', revision });
    },
    async treeOf(commit) {
      const found = ask.commit(commit);
      return found.ok ? ok(found.value.tree) : found;
    },
    async isAncestor(ancestor, of) {
      const known = ask.both(ancestor, of);
      return known.ok ? ok(store.history(of).has(ancestor)) : known;
    },
    async mergeBase(a, b) {
      const known = ask.both(a, b);
      return known.ok ? ok(store.mergeBase(a, b)) : known;
    },
    async commitsAhead(base, head) {
      const known = ask.both(base, head);
      if (!known.ok) return known;
      return ok(
        ahead(base, head)
          .toSorted((a, b) => b.generation - a.generation)
          .map(({ id, message, at }) => ({
            commit: id,
            subject: message,
            author: 'Ada',
            email: 'ada@example.org',
            authoredAt: at,
          })),
      );
    },
    changedPaths: async (base, head) => {
      const known = ask.both(base, head);
      return known.ok ? ok([]) : known;
    },
    diff: async (base, head) => {
      const known = ask.both(base, head);
      return known.ok ? ok({ text: '', truncated: false }) : known;
    },
    objections: async (base, head) => {
      const known = ask.both(base, head);
      return known.ok ? ok([]) : known;
    },
  };
}

/** Git's own rules, as far as anybody here breaks them. */
const isName = (name: string): boolean =>
  /^[\w.@/-]+$/.test(name) &&
  !name.startsWith('-') &&
  !name.includes('..') &&
  name.split('/').every((part) => part !== '' && !part.endsWith('.lock'));

function branchesOf(branches: Map<string, CommitId>, ask: Questions): Branches {
  const inTheWay = (name: string): string | null =>
    [...branches.keys()].find(
      (other) => other === name || other.startsWith(`${name}/`) || name.startsWith(`${other}/`),
    ) ?? null;
  return {
    async taken(name) {
      return isName(name) ? ok(inTheWay(name)) : err({ kind: 'invalid_name', name });
    },
    async create(name, at) {
      if (!isName(name)) return err({ kind: 'invalid_name', name });
      const known = ask.commit(at);
      if (!known.ok) return known;
      const by = inTheWay(name);
      if (by !== null) return err({ kind: 'name_taken', name, by });
      branches.set(name, at);
      return ok(undefined);
    },
    async compareAndSwap(name, to, from) {
      if (!isName(name)) return err({ kind: 'invalid_name', name });
      const known = ask.commit(to);
      if (!known.ok) return known;
      const now = branches.get(name) ?? null;
      if (now !== from) return err({ kind: 'ref_moved', now });
      branches.set(name, to);
      return ok(undefined);
    },
    async remove(name, expected) {
      const now = branches.get(name) ?? null;
      if (now !== null && now !== expected) return err({ kind: 'ref_moved', now });
      branches.delete(name);
      return ok(undefined);
    },
    async list(prefix = 'convoy/') {
      const under = [...branches].filter(([name]) => name.startsWith(prefix));
      return ok(
        under
          .map(([name, commit]) => ({ name, commit }))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      );
    },
    async restore(name, recorded) {
      const known = ask.commit(recorded);
      if (!known.ok) return known;
      if (branches.has(name)) return ok('present');
      branches.set(name, recorded);
      return ok('restored');
    },
  };
}

function mergesOf(store: ObjectStore, ask: Questions): Merges {
  const mergeTrees = (
    ours: string,
    theirs: string,
  ): Result<
    string,
    | UnknownRevision
    | { kind: 'unrelated_histories' }
    | { kind: 'conflict'; files: readonly string[]; messages: readonly string[] }
  > => {
    const known = ask.both(ours, theirs);
    if (!known.ok) return known;
    const merged = store.merge(ours, theirs);
    if (merged.kind === 'tree') return ok(merged.tree);
    return merged.kind === 'conflict'
      ? err({ kind: 'conflict', files: merged.files, messages: [] })
      : err({ kind: 'unrelated_histories' });
  };
  return {
    mergeTrees: async (ours, theirs) => mergeTrees(ours, theirs),
    async build(strategy, target, source, { message, at }) {
      const merged = mergeTrees(target, source);
      if (!merged.ok) return merged;
      const tree = merged.value;
      if (tree === store.find(target)?.tree) return ok({ commit: target, tree, contained: true });
      const parents = strategy === 'merge' ? [target, source] : [target];
      return ok({
        commit: store.commit(store.files(tree), parents, message, at),
        tree,
        contained: false,
      });
    },
    async alreadyContained(source, target) {
      const known = ask.both(source, target);
      if (!known.ok) return known;
      const merged = store.merge(target, source);
      return ok(merged.kind === 'tree' && merged.tree === store.find(target)?.tree);
    },
  };
}

function landingOf(store: ObjectStore, branches: Map<string, CommitId>, ask: Questions): Landing {
  return {
    async advance(target, to, from) {
      const known = ask.both(to, from);
      if (!known.ok) return known;
      const now = branches.get(target) ?? null;
      if (now !== from) return err({ kind: 'target_moved', now });
      if (!store.history(to).has(from)) return err({ kind: 'not_fast_forward' });
      branches.set(target, to);
      return ok({ checkouts: [] });
    },
    heal: async () => ok([]),
    async prove(landed, target, source, verified) {
      const known = ask.both(landed, source);
      if (!known.ok) return known;
      const targetHead = branches.get(target);
      if (targetHead === undefined) return err({ kind: 'unknown_revision', revision: target });
      const ancestor = store.history(targetHead).has(landed);
      const treeMatches = known.value[0].tree === verified;
      const merged = store.merge(targetHead, source);
      const contained = merged.kind === 'tree' && merged.tree === store.find(targetHead)?.tree;
      const holds = ancestor && treeMatches && contained;
      return ok({ landed, target, targetHead, ancestor, treeMatches, contained, holds });
    },
  };
}

/** There is no other copy. */
const down: NoAnswer = { kind: 'errored', reason: 'remote_down', what: 'remote', detail: 'none' };
const nowhere: Remote = {
  head: async () => err(down),
  list: async () => err(down),
  fetch: async () => err(down),
  push: async () => err(down),
  pushAll: async () => err(down),
  remove: async () => err(down),
};

function remoteOf(elsewhere: () => MemoryOrigin | null): Remote {
  const port = (): Remote => elsewhere()?.port ?? nowhere;
  return {
    head: (...asked) => port().head(...asked),
    list: (...asked) => port().list(...asked),
    pushAll: (...asked) => port().pushAll(...asked),
    fetch: (...asked) => port().fetch(...asked),
    push: (...asked) => port().push(...asked),
    remove: (...asked) => port().remove(...asked),
  };
}
