import type { ChangeId } from '../work/ids.ts';

/**
 * How many untested changes to verify at once so that the answer is a little more often green than red: both tell
 * about as much, but green ones land.
 */
export function groupSize(redShare: number): number {
  const red = Math.min(Math.max(redShare, SMALLEST_SHARE), LARGEST_SHARE);
  return Math.max(1, Math.round(Math.log(GREEN) / Math.log(1 - red)));
}

/** How many untested changes are still worth a run of all of them, where there are slots besides for smaller groups. */
export function hopefulSize(redShare: number): number {
  const red = Math.min(Math.max(redShare, SMALLEST_SHARE), LARGEST_SHARE);
  return Math.max(1, Math.floor(Math.log(WORTH_A_SLOT) / Math.log(1 - red)));
}

const GREEN = 0.55;
const WORTH_A_SLOT = 0.3;

// Keeps a clean history from putting the whole backlog into one run, and a bad one from stopping.
const SMALLEST_SHARE = 0.02;
const LARGEST_SHARE = 0.5;

/** How many of a red group to verify next: the cut whose answer is hardest to foretell. */
export function splitSize(size: number, redShare: number): number {
  const green = 1 - Math.min(Math.max(redShare, SMALLEST_SHARE), LARGEST_SHARE);
  let best = 1;
  let bestDistance = Infinity;
  for (let cut = 1; cut < size; cut += 1) {
    const chance = (green ** cut * (1 - green ** (size - cut))) / (1 - green ** size);
    const distance = Math.abs(chance - 0.5);
    if (distance < bestDistance) [best, bestDistance] = [cut, distance];
  }
  return best;
}

/** The share of changes that fail on their own, from what was settled so far and a cautious start. */
export function expectedRedShare(settled: {
  readonly merged: number;
  readonly red: number;
}): number {
  return (settled.red + 1) / (settled.merged + settled.red + 10);
}

/** Cut units in two, largest first, until there is one for every free slot or nothing left to cut. */
export function spread(
  units: readonly (readonly ChangeId[])[],
  slots: number,
): (readonly ChangeId[])[] {
  const spreadOut = [...units];
  while (spreadOut.length < slots) {
    const largest = spreadOut.reduce((a, b) => (b.length > a.length ? b : a), []);
    if (largest.length < 2) break;
    const middle = Math.ceil(largest.length / 2);
    const at = spreadOut.indexOf(largest);
    spreadOut.splice(at, 1, largest.slice(0, middle), largest.slice(middle));
  }
  return spreadOut;
}

/** The beginnings of a list that cut it into equal parts, longest first; never the whole of it. */
export function prefixes(members: readonly ChangeId[], most: number): (readonly ChangeId[])[] {
  const parts = Math.min(members.length, most + 1);
  return Array.from({ length: parts - 1 }, (_, n) =>
    members.slice(0, Math.round((members.length * (parts - 1 - n)) / parts)),
  );
}
