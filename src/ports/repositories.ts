import type { Result } from '../lib/result.ts';
import type { NoAnswer, NotARepository, Repository } from './repository.ts';

/** Opens repositories on this machine by their path. */
export type Repositories = {
  open(path: string): Promise<Result<Repository, NotARepository | NoAnswer>>;
};
