import { readFileSync } from 'node:fs';
import type { CommitId, TreeId } from '../../ports/repository.ts';
import { type IndexEntry, plainEntries } from './index-file.ts';
import { named, type NewObject, storeObject } from './object-writer.ts';
import type { View } from './view.ts';

/** An index as it is now, to tell later what was changed in it; null where git has to do that. */
export function readPlainIndex(file: string, head: CommitId): readonly IndexEntry[] | null {
  try {
    return plainEntries(readFileSync(file), head.length / 2, MOST_FILES);
  } catch {
    return null;
  }
}

/**
 * Stores the tree of an index as `git write-tree` would, where `before` is what it held while it was that of `head`:
 * folders in which nothing has changed since are stored already. Null when it cannot be written, and where the
 * tree of `head` is written in another way than git writes trees today: then no folder of it is what we think.
 */
export function storeTree(
  view: View,
  head: TreeId,
  before: readonly IndexEntry[],
  after: readonly IndexEntry[],
): TreeId | null {
  const hashBytes = head.length / 2;
  if (treeOf(folderOf(before), hashBytes, (object) => named(object).id) !== head) return null;
  const changed = changedFolders(before, after);
  return treeOf(folderOf(after), hashBytes, (object, path) =>
    changed.has(path) ? storeObject(view, object) : named(object).id,
  );
}

type Name = (object: NewObject, path: string) => TreeId | null;

function treeOf(folder: Folder, hashBytes: number, name: Name, path = ''): TreeId | null {
  const lines: Buffer[] = [];
  for (const [title, child] of folder) {
    const id = 'id' in child ? child.id : treeOf(child.folder, hashBytes, name, `${path}${title}/`);
    if (id === null) return null;
    const mode = 'id' in child ? child.mode.toString(8) : '40000';
    lines.push(Buffer.from(`${mode} ${title}\0`, 'latin1'), Buffer.from(id, 'hex'));
  }
  return name({ type: 'tree', content: Buffer.concat(lines), hashBytes }, path);
}

const MOST_FILES = 2000;

/** Files and folders in the order of the index, which is that of trees: a folder sorts as its name and a slash. */
type Folder = Map<string, IndexEntry | { readonly folder: Folder }>;

function folderOf(entries: readonly IndexEntry[]): Folder {
  const root: Folder = new Map();
  for (const entry of entries) {
    const names = entry.path.split('/');
    const file = names.pop() ?? '';
    let folder = root;
    for (const name of names) {
      const found = folder.get(name);
      const inner: Folder = found !== undefined && 'folder' in found ? found.folder : new Map();
      folder.set(name, { folder: inner });
      folder = inner;
    }
    folder.set(file, entry);
  }
  return root;
}

const key = ({ path, mode, id }: IndexEntry): string => `${mode} ${id} ${path}`;

/** All folders above a file that one of them has and the other not, or another of that name. */
function changedFolders(
  before: readonly IndexEntry[],
  after: readonly IndexEntry[],
): ReadonlySet<string> {
  const [old, now] = [new Set(before.map(key)), new Set(after.map(key))];
  const apart = [
    ...before.filter((entry) => !now.has(key(entry))),
    ...after.filter((entry) => !old.has(key(entry))),
  ];
  return new Set(apart.flatMap(({ path }) => foldersAbove(path)));
}

/** With a slash at the end; the empty one is the top. */
function foldersAbove(path: string): string[] {
  const names = path.split('/').slice(0, -1);
  return names.reduce((above, name) => [...above, `${above.at(-1) ?? ''}${name}/`], ['']);
}
