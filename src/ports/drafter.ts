import type { Draft } from '../domain/draft/read-draft.ts';
import type { Result } from '../lib/result.ts';

/** Reads a document with a model and makes a plan of it, under the same rules as our own reader. */
export type Drafter = {
  draft(text: string, name: string): Promise<Result<Draft, { readonly message: string }>>;
};
