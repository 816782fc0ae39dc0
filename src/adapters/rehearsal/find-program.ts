import { access, constants } from 'node:fs/promises';
import { delimiter, join } from 'node:path';

/** The full path of a program, null when it is not there. */
export async function findProgram(name: string, path: string): Promise<string | null> {
  const candidates = name.includes('/')
    ? [name]
    : path.split(delimiter).flatMap((entry) => (entry === '' ? [] : [join(entry, name)]));
  for (const file of candidates) {
    const isThere = await access(file, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (isThere) return file;
  }
  return null;
}
