/** Words that begin ids of other kinds. */
const RESERVED = new Set(['cv', 'plan', 'run', 'ap', 'crew']);
const LONGEST = 12;

/** A short prefix for task ids, from a directory's or repo's name, that nobody else has. */
export function defaultPrefix(name: string, taken: ReadonlySet<string>): string {
  const letters = name
    .toLowerCase()
    .normalize('NFKD')
    .replaceAll(/[^a-z0-9]+/g, '')
    .replace(/^[0-9]+/, '')
    .slice(0, LONGEST);
  const base = letters === '' || RESERVED.has(letters) ? 'task' : letters;
  for (let number = 1; ; number++) {
    const prefix = number === 1 ? base : `${base}${number}`;
    if (!taken.has(prefix)) return prefix;
  }
}
