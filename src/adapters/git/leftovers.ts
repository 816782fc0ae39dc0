import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { CommitId } from '../../ports/repository.ts';

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
    const folders = trackedIn(readFileSync(checkout.index), commit.length / 2);
    if (folders === null) return true;
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

type Names = Map<string, 'file' | 'folder'>;

const MOST_FILES = 500;
const HEADER_BYTES = 12;
/** Of an entry: its mode, and what comes before the hash. */
const MODE_AT = 24;
const STAT_BYTES = 40;
const FILES = [0o100000, 0o120000];
const KIND = 0o170000;
/** Of an entry's flags: anything but the length of its name (unmerged, sparse, assumed unchanged) is not plain. */
const NAME_LENGTH = 0xfff;

/** What git tracks, by folder; null when the index is not of the plainest kind. */
function trackedIn(index: Buffer, hashBytes: number): Map<string, Names> | null {
  const isPlain = index.toString('latin1', 0, 4) === 'DIRC' && index.readUInt32BE(4) === 2;
  const count = index.readUInt32BE(8);
  if (!isPlain || count > MOST_FILES) return null;
  const folders = new Map<string, Names>([['', new Map()]]);
  let at = HEADER_BYTES;
  for (let entry = 0; entry < count; entry += 1) {
    const flags = index.readUInt16BE(at + STAT_BYTES + hashBytes);
    if (flags >= NAME_LENGTH || !FILES.includes(index.readUInt32BE(at + MODE_AT) & KIND))
      return null;
    const name = at + STAT_BYTES + hashBytes + 2;
    addPath(folders, index.toString('latin1', name, name + flags), 'file');
    // At least one NUL, up to a multiple of eight bytes.
    at += Math.ceil((name + flags + 1 - at) / 8) * 8;
  }
  return folders;
}

function addPath(folders: Map<string, Names>, path: string, kind: 'file' | 'folder'): void {
  const cut = path.lastIndexOf('/');
  const folder = path.slice(0, Math.max(0, cut));
  const names: Names = folders.get(folder) ?? new Map();
  names.set(path.slice(cut + 1), kind);
  if (folders.has(folder)) return;
  folders.set(folder, names);
  addPath(folders, folder, 'folder');
}
