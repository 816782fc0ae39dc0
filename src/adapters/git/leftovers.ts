import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitId } from '../../ports/repository.ts';
import { plainEntries } from './index-file.ts';

/**
 * Whether a checkout that git has just reset may hold anything but tracked files and what is kept. Most gates
 * leave nothing in a small repository, and seeing that here costs less than a `git clean` that finds nothing.
 * True wherever it is not plain: many files, submodules, an index of another kind.
 */
export function mayHaveLeftovers(
  checkout: { readonly path: string; readonly index: string },
  commit: CommitId,
  keep: readonly string[],
): boolean {
  try {
    const tracked = plainEntries(readFileSync(checkout.index), commit.length / 2, MOST_FILES);
    if (tracked === null) return true;
    const folders = new Map<string, Names>([['', new Map()]]);
    for (const { path } of tracked) addPath(folders, path, 'file');
    const kept = new Set(['.git', ...keep.map((name) => Buffer.from(name).toString('latin1'))]);
    return [...folders].some(([folder, names]) =>
      readdirSync(join(checkout.path, Buffer.from(folder, 'latin1').toString()), ENTRIES).some(
        (entry) =>
          names.get(entry.name) !== (entry.isDirectory() ? 'folder' : 'file') &&
          !(folder === '' && kept.has(entry.name)),
      ),
    );
  } catch {
    return true;
  }
}

/** Names need not be text; as latin1 each byte is one character. */
const ENTRIES = { withFileTypes: true, encoding: 'latin1' } as const;
const MOST_FILES = 500;

type Names = Map<string, 'file' | 'folder'>;

function addPath(folders: Map<string, Names>, path: string, kind: 'file' | 'folder'): void {
  const cut = path.lastIndexOf('/');
  const folder = path.slice(0, Math.max(0, cut));
  const names: Names = folders.get(folder) ?? new Map();
  names.set(path.slice(cut + 1), kind);
  if (folders.has(folder)) return;
  folders.set(folder, names);
  addPath(folders, folder, 'folder');
}
