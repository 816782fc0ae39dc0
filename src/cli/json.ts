import type { Problem } from '../contract/problem.ts';

const SCHEMA = 'convoy.v1';

/** One JSON document on one line, its schema first. */
export function jsonLine(body: object): string {
  return safe(JSON.stringify(Object.assign({ schema: SCHEMA }, body, { schema: SCHEMA })));
}

/** A problem as programs read it: the error, and beside it what the command found out. */
export function problemJson(problem: Problem): object {
  const { kind: _kind, details, ...error } = problem;
  const beside = typeof details === 'object' && details !== null ? details : {};
  return { ...beside, error };
}

/** JSON leaves DEL, C1 controls and bidi controls as they are; a terminal would obey them. */
function safe(json: string): string {
  return json.replaceAll(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
