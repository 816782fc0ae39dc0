/** The candidate a person most likely meant, or null when none is close. */
export function closest(word: string, candidates: readonly string[]): string | null {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: string | null = null;
  let least = limit + 1;
  for (const candidate of candidates) {
    const steps = distance(fold(word), fold(candidate));
    if (steps < least) {
      best = candidate;
      least = steps;
    }
  }
  return best;
}

/** `maxParallel`, `max-parallel` and `max_parallel` are the same wish. */
const fold = (word: string): string => word.replaceAll(/[-_]/g, '').toLowerCase();

/** Insertions, deletions, replacements and swaps of neighbours that turn one word into the other. */
function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const same = from[i - 1] === to[j - 1];
      const steps = Math.min(at(last, j) + 1, at(row, j - 1) + 1, at(last, j - 1) + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      row.push(swapped ? Math.min(steps, at(beforeLast, j - 2) + 1) : steps);
    }
    beforeLast = last;
    last = row;
  }
  return at(last, to.length);
}

const at = (row: readonly number[], index: number): number => row[index] ?? Infinity;
