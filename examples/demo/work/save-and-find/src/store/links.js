/** Saves links and finds them again. */
export function links(database) {
  const insert = database.prepare('insert into links (code, url, created_at) values (?, ?, ?)');
  const select = database.prepare('select code, url, hits from links where code = ?');
  return {
    save: (code, url) => void insert.run(code, url, Date.now()),
    find(code) {
      const row = select.get(code);
      return row === undefined ? null : { code: row.code, url: row.url, hits: row.hits };
    },
  };
}
