import type { Plan, PlanFile, PlanLane, RepositoryMark } from '../domain/ship/plan/plan.ts';
import type { PlatformName, Risk, ScanResult } from '../domain/ship/scan/lane.ts';
import type { Result } from '../lib/result.ts';

/** Finds what a person calls a repository, and tells one state of it from another. */
export interface Sources {
  /** A directory as it is, or a shallow clone of an address. */
  locate(target: string): Promise<Result<Located, SourceProblem>>;
  /** Runs nothing that the repository names, and writes nothing. */
  mark(root: string): Promise<Result<RepositoryMark, SourceProblem>>;
  scan(root: string): Promise<ScanResult>;
}

export type Located = {
  readonly root: string;
  readonly source: string;
  readonly origin: 'directory' | 'clone';
  /** Set when the remote did not answer and an earlier clone was taken instead. */
  readonly stale: string | null;
};

export type SourceProblem =
  | { readonly kind: 'not-found'; readonly target: string }
  | { readonly kind: 'not-a-directory'; readonly target: string }
  /** An address needs a place for its clone, and there is none. */
  | { readonly kind: 'no-place'; readonly target: string }
  | { readonly kind: 'remote-refused'; readonly target: string; readonly detail: string }
  | { readonly kind: 'git-failed'; readonly target: string; readonly detail: string };

/** Plans kept as files that people may read. */
export interface PlanStore {
  /** Keeps a plan under its id, or a longer one when that is taken by another. */
  save(plan: Plan): Promise<Plan>;
  /** The plan with this id or the only one whose id begins so. */
  read(idOrPrefix: string): Promise<Result<Plan, PlanReadProblem>>;
  /** Newest first; files that are no plans are left out. */
  list(): Promise<readonly Plan[]>;
}

export type PlanReadProblem =
  | { readonly kind: 'unknown-plan'; readonly id: string }
  | { readonly kind: 'ambiguous-plan'; readonly id: string; readonly ids: readonly string[] }
  /** The file is not what was saved: somebody edited it, or it is broken. */
  | { readonly kind: 'edited-plan'; readonly id: string; readonly file: string };

/** Makes plans. */
export interface Planner {
  draft(wish: PlanWish): Promise<Result<Plan, SourceProblem>>;
}

export type PlanWish = {
  readonly target: string;
  readonly platform: PlatformName | null;
  readonly demo: boolean;
};

/** Says which files a plan's lanes need; null where no author is at hand. */
export type PlanFiles = (
  root: string,
  project: string,
  lanes: readonly PlanLane[],
  mark: RepositoryMark,
) => Promise<{ readonly files: readonly PlanFile[]; readonly risks: readonly Risk[] }>;
