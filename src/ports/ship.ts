import type { Result } from '../lib/result.ts';
import type { Author } from './author.ts';
import type { Medic } from './medic.ts';
import type { NoAnswer, NotARepository } from './repository.ts';

/** Opens what a run needs for one working tree. */
export interface ShipTools {
  author(root: string): Promise<Result<Author, NotARepository | NoAnswer>>;
  /** Where a branch of its repository points; null when there is none or nobody can say. */
  branchHead(root: string, branch: string): Promise<string | null>;
  /** The values are never repeated in what the medic says. */
  medic(root: string, secrets: readonly string[]): Promise<Medic>;
}

export type Variables = Readonly<Record<string, string>>;

/** Values of variables that a run was given; they stay out of ledger, logs and git. */
export interface RunVariables {
  keep(run: string, values: Variables): Promise<void>;
  read(run: string): Promise<Variables>;
  /** The variables of a file in the usual `KEY=value` form. */
  readFile(path: string): Promise<Result<Variables, string>>;
  forget(run: string): Promise<void>;
}
