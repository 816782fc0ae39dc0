/** Both engines limit the values of one statement; this stays well below. */
const MOST_VALUES = 5000;

/** Long lists in pieces that one statement can hold. */
export function* chunks<T>(
  items: readonly T[],
  most: number = MOST_VALUES,
): Generator<readonly T[]> {
  for (let start = 0; start < items.length; start += most) yield items.slice(start, start + most);
}
