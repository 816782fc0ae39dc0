import type { Forges } from './forge.ts';
import type { Result } from '../lib/result.ts';
import type { Author, PlannedFile } from './author.ts';
import type { Diagnosis, Medic } from './medic.ts';
import type { ModelEvent } from './model.ts';
import type { NoAnswer, NotARepository, Repository } from './repository.ts';

/** Opens what a run needs for one working tree. */
export interface ShipTools {
  author(root: string): Promise<Result<Author, NotARepository | NoAnswer>>;
  /** Where a branch of its repository points; null when there is none or nobody can say. */
  branchHead(root: string, branch: string): Promise<string | null>;
  /** The repository of a working tree, for what is pushed and what git proves; null when there is none. */
  repository(root: string): Promise<Repository | null>;
  readonly forges: Forges;
  medic(wish: MedicWish): Promise<Medic>;
  /** Better content for files of Convoy's own, by path; empty without a model. */
  improveFiles(
    files: readonly Pick<PlannedFile, 'path' | 'content'>[],
    diagnosis: Diagnosis,
  ): Promise<ReadonlyMap<string, string>>;
}

export type MedicWish = {
  readonly root: string;
  /** Never repeated in what the medic says or is told. */
  readonly secrets: readonly string[];
  /** False: the rules alone. True: say so when there is no model. Null: a model when there is one. */
  readonly ai: boolean | null;
  /** Hears of every step of a model, without secrets. */
  readonly onStep: (step: ModelEvent) => void;
  readonly signal: AbortSignal;
};

export type Variables = Readonly<Record<string, string>>;

/** Values of variables that a run was given; they stay out of ledger, logs and git. */
export interface RunVariables {
  keep(run: string, values: Variables): Promise<void>;
  read(run: string): Promise<Variables>;
  /** The variables of a file in the usual `KEY=value` form. */
  readFile(path: string): Promise<Result<Variables, string>>;
  forget(run: string): Promise<void>;
}

/** Secrets handed to lanes that run on this machine; for one lane of one repository at a time. */
export interface SecretStore {
  /** Replaces what was there; nothing takes it away. */
  stage(repo: string, lane: string, values: Variables): Promise<void>;
  read(repo: string, lane: string): Promise<Variables>;
  holds(repo: string, lane: string, values: Variables): Promise<boolean>;
}
