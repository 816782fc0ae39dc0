import type { Problem } from './problem.ts';

/** Words that mean something else in an address and would reach another route. */
const NOT_A_NAME = /^\s*$|^\.{1,2}$/;

/** The problem of a path parameter that could stand in no path, or null. */
export function noAddress(params: unknown): Problem | null {
  const wrong = Object.entries(params ?? {}).find(([, value]) => NOT_A_NAME.test(String(value)));
  if (wrong === undefined) return null;
  const [path, value] = wrong;
  return {
    kind: 'invalid',
    code: 'invalid_request',
    message: `${path}: "${String(value)}" names nothing`,
    remedy: 'Write an id or a name.',
    fields: [{ path, message: 'names nothing' }],
  };
}
