import { err, ok } from '../lib/result.ts';
import type {
  BranchUpdate,
  CommitId,
  NoAnswer,
  Push,
  PushRejected,
  Remote,
  Updated,
} from '../ports/repository.ts';
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
  const send = (update: BranchUpdate & Pick<Push, 'rewrite'>): Updated => {
    const { branch, commit } = update;
    if (commit !== null && store.find(commit) === null)
      return err({ kind: 'unknown_revision', revision: commit });
    const no = objection(store, branches, update);
    if (no !== null) return err(no);
    if (commit === null) branches.delete(branch);
    else branches.set(branch, commit);
    return ok(undefined);
  };
  const origin: MemoryOrigin = {
    url,
    branches,
    isUp: true,
    port: {
      head: (_, branch) => at(branch),
      fetch: (_, branch) => at(branch),
      list: async (_, prefix) =>
        origin.isUp
          ? ok(
              [...branches]
                .filter(([name]) => name.startsWith(prefix))
                .map(([name, commit]) => ({ name, commit })),
            )
          : err(DOWN),
      push: async (wish) => (origin.isUp ? send(wish) : err(DOWN)),
      pushAll: async (_, updates) =>
        origin.isUp ? ok(updates.map((update) => send(update))) : err(DOWN),
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
  { branch, commit, expected, rewrite }: BranchUpdate & Pick<Push, 'rewrite'>,
): PushRejected | null {
  const now = branches.get(branch) ?? null;
  if (now !== expected) return rejected('stale');
  const isForward = now === null || commit === null || store.history(commit).has(now);
  return isForward || rewrite === true ? null : rejected('not_fast_forward');
}

const rejected = (reason: PushRejected['reason']): PushRejected => ({
  kind: 'push_rejected',
  reason,
  detail: 'refused in memory',
});
