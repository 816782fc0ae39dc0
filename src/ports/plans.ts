import type { PartRefusal } from '../domain/ship/plan/chosen-parts.ts';
import type { Words } from '../domain/ship/plan/model-words.ts';
import type {
  Plan,
  PlanBody,
  PlanFile,
  PlanLane,
  RepositoryMark,
} from '../domain/ship/plan/plan.ts';
import type { PlatformName, Risk, ScanResult } from '../domain/ship/scan/lane.ts';
import type { Result } from '../lib/result.ts';

/** Finds what a person calls a repository, and tells one state of it from another. */
export interface Sources {
  /** A directory as it is, or a shallow clone of an address. */
  locate(target: string): Promise<Result<Located, SourceProblem>>;
  /** Runs nothing that the repository names, and writes nothing. */
  mark(root: string): Promise<Result<RepositoryMark, SourceProblem>>;
  scan(root: string): Promise<ScanResult>;
  /** The values of `.env.convoy-secrets`, unless others could read them as well. */
  secrets(root: string): Promise<SecretsFile>;
}

export type SecretsFile =
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'read'; readonly values: Readonly<Record<string, string>> };

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

/** Why there is no plan: the repository cannot be read, or not planned as it was asked. */
export type PlanProblem = SourceProblem | PartRefusal | { readonly kind: 'no-model' };

/** Plans kept as files that people may read. */
export interface PlanStore {
  /** Keeps a plan under its id, or a longer one when that is taken by another. */
  save(plan: Plan): Promise<Plan>;
  /** The plan with this id or the only one whose id begins so. */
  read(idOrPrefix: string): Promise<Result<Plan, PlanReadProblem>>;
  /** Newest first; a plan whose file is no longer what was saved is told apart, not left out. */
  list(): Promise<readonly ListedPlan[]>;
}

export type ListedPlan =
  | { readonly kind: 'plan'; readonly plan: Plan }
  | {
      readonly kind: 'edited';
      readonly id: string;
      readonly file: string;
      readonly changed_at: string;
    };

export type PlanReadProblem =
  | { readonly kind: 'unknown-plan'; readonly id: string }
  | { readonly kind: 'ambiguous-plan'; readonly id: string; readonly ids: readonly string[] }
  /** The file is not what was saved: somebody edited it, or it is broken. */
  | { readonly kind: 'edited-plan'; readonly id: string; readonly file: string };

/** Makes plans. */
export interface Planner {
  draft(wish: PlanWish): Promise<Result<Plan, PlanProblem>>;
}

export type PlanWish = {
  readonly target: string;
  readonly platform: PlatformName | null;
  readonly demo: boolean;
  /** Names or directories of lanes; all of them when left out. */
  readonly parts?: readonly string[] | undefined;
  readonly flyApp?: string | undefined;
  /** Whether a model words the plan; left out: when there is one. */
  readonly ai?: boolean | undefined;
};

/** Words a plan; an error says why it did not. */
export type PlanWriter = (plan: PlanBody) => Promise<Result<Words, string>>;

/** Says which files a plan's lanes need; null where no author is at hand. */
export type PlanFiles = (
  root: string,
  project: string,
  lanes: readonly PlanLane[],
  mark: RepositoryMark,
  /** Content that a model offers instead of a template's; judged like any other. */
  improved?: ReadonlyMap<string, string>,
) => Promise<{ readonly files: readonly PlanFile[]; readonly risks: readonly Risk[] }>;
