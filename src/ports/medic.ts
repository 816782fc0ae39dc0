import type { Verdict } from '../domain/ship/medic/diagnosis.ts';
import type { Evidence } from '../domain/ship/medic/evidence.ts';
import type { Snapshot } from '../domain/ship/medic/repository.ts';
import type { Result } from '../lib/result.ts';
import type { Usage } from './model.ts';

export type { Diagnosis, Reference, Verdict } from '../domain/ship/medic/diagnosis.ts';
export type { Evidence } from '../domain/ship/medic/evidence.ts';

/** Looks at what a failed stage left behind and names the root cause; it never edits. */
export interface Medic {
  diagnose(evidence: Evidence): Promise<Found>;
}

/** A verdict, and as far as a model was to have a part in it, how it came about. */
export type Found = Verdict & {
  readonly by?: 'model' | 'rules';
  /** Why the rules had to answer although a model was to; null when nothing went wrong. */
  readonly because?: string | null;
  readonly usage?: Usage | null;
};

/** The only way in which a medic sees the repository: inside it, without its secrets, in bounded pieces. */
export interface RepositoryReader {
  list(): Promise<readonly string[]>;
  read(path: string, range?: LineRange): Promise<Result<FilePart, ReadRefusal>>;
  grep(pattern: RegExp, options?: GrepOptions): Promise<readonly GrepHit[]>;
  /** What fits into memory at once, the paths named first. */
  snapshot(first?: readonly string[]): Promise<Snapshot>;
}

export type LineRange = { readonly from?: number; readonly lines?: number };
export type FilePart = {
  readonly path: string;
  readonly from: number;
  readonly text: string;
  readonly truncated: boolean;
};
export type GrepOptions = { readonly under?: string; readonly most?: number };
export type GrepHit = { readonly file: string; readonly line: number; readonly text: string };

export type ReadRefusal =
  | { readonly kind: 'bad-path'; readonly path: string }
  | { readonly kind: 'outside'; readonly path: string }
  | { readonly kind: 'denied'; readonly path: string }
  | { readonly kind: 'not-found'; readonly path: string }
  | { readonly kind: 'not-a-file'; readonly path: string };
