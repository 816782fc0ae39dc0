import { err, ok } from '../lib/result.ts';
import type { CommitId, NoAnswer, Push, PushRejected, Remote } from '../ports/repository.ts';
import type { ObjectStore } from './object-store.ts';

/** The copy of a repository that others have too; it holds the same objects and branches of its own. */
export type MemoryOrigin = {
  readonly url: string;
  readonly branches: Map<string, CommitId>;
  /** Whether it answers. */
  isUp: boolean;
  readonly port: Remote;
};

const DOWN: NoAnswer = { kind: 'errored', reason: 'remote_down', what: 'remote', detail: 'down' };

export function memoryOrigin(store: ObjectStore, url: string): MemoryOrigin {
  const branches = new Map<string, CommitId>();
  const at = async (branch: string) => (origin.isUp ? ok(branches.get(branch) ?? null) : err(DOWN));
  const origin: MemoryOrigin = {
    url,
    branches,
    isUp: true,
    port: {
      head: (_, branch) => at(branch),
      fetch: (_, branch) => at(branch),
      async push(wish) {
        if (!origin.isUp) return err(DOWN);
        if (store.find(wish.commit) === null)
          return err({ kind: 'unknown_revision', revision: wish.commit });
        const no = objection(store, branches, wish);
        if (no !== null) return err(no);
        branches.set(wish.branch, wish.commit);
        return ok(undefined);
      },
      async remove(_, branch, expected) {
        if (!origin.isUp) return err(DOWN);
        const now = branches.get(branch) ?? null;
        if (now !== null && now !== expected) return err(rejected('stale'));
        branches.delete(branch);
        return ok(undefined);
      },
    },
  };
  return origin;
}

function objection(
  store: ObjectStore,
  branches: ReadonlyMap<string, CommitId>,
  { branch, commit, expected, rewrite }: Push,
): PushRejected | null {
  const now = branches.get(branch) ?? null;
  if (now !== expected) return rejected('stale');
  const isForward = now === null || store.history(commit).has(now);
  return isForward || rewrite === true ? null : rejected('not_fast_forward');
}

const rejected = (reason: PushRejected['reason']): PushRejected => ({
  kind: 'push_rejected',
  reason,
  detail: 'refused in memory',
});
