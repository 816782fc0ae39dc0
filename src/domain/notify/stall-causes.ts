/**
 * What holds a stalled convoy, without how much it holds.
 *
 * While a convoy is stalled its reason may be worded anew because other numbers changed; only a cause
 * that was not there before is news.
 */
export function causesOf(reason: string): Set<string> {
  return new Set(reason.split('; ').flatMap(causesIn));
}

const FAILED = /^(?<names>.+?) failed(?:, which holds \d+ tasks?)?$/;
const MORE_HELD = / \(and \d+ more are held\)$/;

function causesIn(part: string): string[] {
  const names = FAILED.exec(part)?.groups?.['names'];
  return names === undefined ? [part.replace(MORE_HELD, '')] : names.split(', ');
}
