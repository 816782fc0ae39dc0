/** Counts in the database itself, so that visits at the same time are all counted. */
export function visits(database) {
  const count = database.prepare('update links set hits = hits + 1 where code = ?');
  return { countVisit: (code) => void count.run(code) };
}
