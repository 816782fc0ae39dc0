import { constants, type Dirent } from 'node:fs';
import { open, readdir, realpath, stat } from 'node:fs/promises';
import { basename, resolve, sep } from 'node:path';
import { isManifest } from '../../domain/ship/scan/worth-reading.ts';
import type { FileTree, Listing } from '../../ports/file-tree.ts';

const MOST_ENTRIES = 20_000;
const MOST_PER_DIRECTORY = 4_000;
const DEEPEST = 12;
const MOST_BYTES = 256 * 1024;
const AT_ONCE = 16;

const SKIPPED = new Set([
  'node_modules',
  'bower_components',
  'vendor',
  'dist',
  'target',
  'out',
  'venv',
  'virtualenv',
  '__pycache__',
  'site-packages',
  'Pods',
  'Carthage',
  'DerivedData',
  'coverage',
  '_build',
  'elm-stuff',
]);

// Hidden directories in which platforms keep their configuration.
const KEPT_HIDDEN = new Set(['.railway', '.do', '.platform', '.config', '.docker']);

/** Opens a real directory for reading: nothing is run, written or followed out of it. */
export function directoryTree(root: string): FileTree {
  const top = resolve(root);
  return {
    name: basename(top),
    list: () => walk(top),
    read: (path) => readBounded(top, path),
  };
}

async function walk(root: string): Promise<Listing> {
  const real = await realpath(root);
  const files: string[] = [];
  let level = [''];
  let truncated = false;
  for (let depth = 0; level.length > 0 && depth < DEEPEST; depth += 1) {
    const next: string[] = [];
    for (let start = 0; start < level.length; start += AT_ONCE) {
      if (files.length >= MOST_ENTRIES) return { files: sorted(files), truncated: true };
      const some = level.slice(start, start + AT_ONCE);
      for (const seen of await Promise.all(some.map((directory) => look(real, directory)))) {
        files.push(...seen.files);
        next.push(...seen.directories);
        truncated ||= seen.cut;
      }
    }
    level = next;
  }
  return { files: sorted(files.slice(0, MOST_ENTRIES)), truncated: truncated || level.length > 0 };
}

interface Seen {
  files: string[];
  directories: string[];
  cut: boolean;
}

async function look(root: string, directory: string): Promise<Seen> {
  const entries = await entriesOf(resolve(root, directory));
  const seen: Seen = { files: [], directories: [], cut: entries.length > MOST_PER_DIRECTORY };
  const taken = seen.cut ? mostTelling(entries) : entries;
  for (const entry of taken) {
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (entry.isDirectory()) {
      if (isWalked(entry.name)) seen.directories.push(path);
    } else if (entry.isFile() || (entry.isSymbolicLink() && (await isOwnFile(root, path))))
      seen.files.push(path);
  }
  return seen;
}

// A directory that may not be read, or is gone meanwhile, has nothing to show.
async function entriesOf(directory: string): Promise<Dirent[]> {
  try {
    return await readdir(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}

function mostTelling(entries: readonly Dirent[]): readonly Dirent[] {
  const first = entries.filter((entry) => entry.isDirectory() || isManifest(entry.name));
  const chosen = new Set(first);
  const rest = entries.filter((entry) => !chosen.has(entry));
  return [...first, ...rest].slice(0, MOST_PER_DIRECTORY);
}

function isWalked(name: string): boolean {
  if (name.startsWith('.')) return KEPT_HIDDEN.has(name);
  return !SKIPPED.has(name);
}

/** A link to a file is fine as long as the file is inside; a link to a directory is never walked. */
async function isOwnFile(root: string, path: string): Promise<boolean> {
  try {
    const target = await realpath(resolve(root, path));
    return target.startsWith(root + sep) && (await stat(target)).isFile();
  } catch {
    return false;
  }
}

async function readBounded(root: string, path: string): Promise<string | undefined> {
  const real = await realpath(root);
  const target = resolve(real, path);
  if (!(await isOwnFile(real, path))) return undefined;
  try {
    // Without waiting: a pipe put in the file's place must not hold the scan.
    await using file = await open(target, constants.O_RDONLY | constants.O_NONBLOCK);
    const buffer = Buffer.alloc(Math.min(MOST_BYTES, (await file.stat()).size));
    const { bytesRead } = await file.read(buffer, 0, buffer.length, 0);
    const bytes = buffer.subarray(0, bytesRead);
    return bytes.includes(0) ? undefined : withoutMark(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}

const withoutMark = (text: string): string => text.replace(/^\uFEFF/, '').replaceAll('\r\n', '\n');

function sorted(files: readonly string[]): readonly string[] {
  return files.toSorted((a, b) => (a < b ? -1 : 1));
}
