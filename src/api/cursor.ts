import type { Problem } from '../contract/problem.ts';
import { ok, type Result } from '../lib/result.ts';
import { invalid } from './problems.ts';

export type Place = { readonly createdAt: number; readonly id: string };

/** Where the next page begins; opaque to callers. */
export const cursorOf = (last: Place | undefined): string | null =>
  last === undefined ? null : `${last.createdAt.toString(36)}~${last.id}`;

export function readCursor(text: string | undefined): Result<Place | undefined, Problem> {
  if (text === undefined) return ok(undefined);
  const match = /^([0-9a-z]+)~(.+)$/.exec(text);
  if (match?.[1] === undefined || match[2] === undefined)
    return invalid(
      'cursor_invalid',
      'That is not a page of ours.',
      'Use the `next` of an earlier answer.',
    );
  return ok({ createdAt: Number.parseInt(match[1], 36), id: match[2] });
}
