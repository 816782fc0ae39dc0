import { openDatabase } from './database.js';
import { links } from './links.js';

/** All that the service keeps. */
export function openStore(file) {
  const database = openDatabase(file);
  return {
    ...links(database),
    /** Throws when the data cannot be reached. */
    check: () => database.prepare('select 1').get(),
    close: () => database.close(),
  };
}
