import type { CommitId } from '../../ports/repository.ts';
import type { Protocol } from './standing.ts';

/** A ref moved from where it was seen; `from` all zeros means that it must not exist. */
export type RefUpdate = { readonly ref: string; readonly to: CommitId; readonly from: CommitId };

const DONE = 'start: ok\ncommit: ok\n';

/**
 * Many moves of refs by one git, each a transaction of its own. It ends at the first that it refuses, so that
 * nothing behind that one happens.
 */
export const updateRefs = (because: string): Protocol<RefUpdate, 'moved'> => ({
  what: 'git update-ref',
  args: ['update-ref', '--create-reflog', '-m', because, '--stdin'],
  say: ({ ref, to, from }) => `start\noption no-deref\nupdate ${ref} ${to} ${from}\ncommit\n`,
  read: (text) => {
    const said = text.toString('latin1', 0, DONE.length);
    if (!DONE.startsWith(said)) return 'nonsense';
    return said === DONE ? { length: DONE.length, answer: 'moved' } : null;
  },
});
