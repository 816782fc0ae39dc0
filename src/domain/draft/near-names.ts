const LONGEST = 60;
const MOST = 3;

/** The names that somebody may have meant, best first. */
export function nearNames(word: string, names: Iterable<string>): string[] {
  const wanted = word.slice(0, LONGEST);
  const limit = Math.max(2, Math.floor(wanted.length / 3));
  return [...new Set(names)]
    .map((name) => ({ name, far: farness(wanted, name.slice(0, LONGEST)) }))
    .filter(({ far }) => far <= limit)
    .toSorted((a, b) => a.far - b.far)
    .slice(0, MOST)
    .map(({ name }) => name);
}

/** A part of a name is as good as a slip of the pen. */
const farness = (word: string, name: string): number =>
  word.length > 2 && (name.includes(word) || word.includes(name)) ? 1 : distance(word, name);

function distance(from: string, to: string): number {
  let last = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let i = 1; i <= from.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= to.length; j += 1) {
      const swap = from[i - 1] === to[j - 1] ? 0 : 1;
      row.push(Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + swap));
    }
    last = row;
  }
  return last[to.length]!;
}
