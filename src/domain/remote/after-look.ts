import { type Branch, isWanted } from './branch.ts';

/** What is to be done about a branch after a look at the remote. */
export type NextStep =
  | { readonly do: 'push'; readonly expected: string | null }
  | { readonly do: 'remove'; readonly expected: string }
  /** It is as it should be. */
  | { readonly do: 'record' }
  /** Somebody else's commits are on it. */
  | { readonly do: 'leave' };

/**
 * A push was refused because the branch was not where we left it: a crash may have cut off the record,
 * or somebody else was there. What holds nothing but our own history may be moved or deleted.
 */
export function afterLook(branch: Branch, there: string | null, isOurs: boolean): NextStep {
  if (there === null) return isWanted(branch) ? { do: 'push', expected: null } : { do: 'record' };
  if (!isOurs) return { do: 'leave' };
  if (!isWanted(branch)) return { do: 'remove', expected: there };
  return there === branch.last ? { do: 'record' } : { do: 'push', expected: there };
}
