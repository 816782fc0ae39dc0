/** Fails to compile when a union gains a case that a switch does not handle. */
export function unreachable(value: never): never {
  throw new Error(`Unhandled case: ${JSON.stringify(value)}`);
}
