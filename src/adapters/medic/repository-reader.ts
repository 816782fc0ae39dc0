import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Snapshot } from '../../domain/ship/medic/repository.ts';
import { redact } from '../../domain/ship/redact.ts';
import { err, ok } from '../../lib/result.ts';
import type { Result } from '../../lib/result.ts';
import type {
  FilePart,
  GrepHit,
  GrepOptions,
  LineRange,
  ReadRefusal,
  RepositoryReader,
} from '../../ports/medic.ts';
import { openContained } from './contained-file.ts';
import { isDenied } from './deny-list.ts';

const MOST_FILES = 5000;
const MOST_ENTRIES = 50_000;
const MOST_BYTES_PER_FILE = 512 * 1024;
const MOST_BYTES = 8 * 1024 * 1024;
const MOST_LINES = 400;
const MOST_HITS = 100;
const LONGEST_LINE = 500;
const LONGEST_PATTERN = 200;
const SKIPPED = new Set([
  'node_modules',
  'vendor',
  'dist',
  'target',
  '.next',
  '.nuxt',
  '.venv',
  'venv',
  '__pycache__',
  'coverage',
  '.cache',
  '_build',
  'deps',
  'obj',
]);
const SOURCE_OR_SETTING =
  /\.(?:[cm]?[jt]sx?|py|rb|ru|rake|go|rs|java|kts?|scala|groovy|php|cs|fs|exs?|swift|vue|svelte|astro|json|ya?ml|toml|xml|sql|sh|cfg|ini|gradle|csproj|prisma|txt|mod|properties|conf)$|(?:^|\/)(?:Dockerfile|Procfile|Gemfile|Makefile|Pipfile)[\w.]*$/i;

/** A reader of one repository; what it gives out is inside, allowed, bounded and without secrets. */
export async function openRepositoryReader(
  directory: string,
  secrets: readonly string[] = [],
): Promise<RepositoryReader> {
  const root = await realpath(directory);
  const load = (path: string): Promise<Result<Loaded, ReadRefusal>> =>
    loadText(root, path, secrets);
  return {
    list: () => listFiles(root),
    read: async (path, range) => {
      const loaded = await load(path);
      return loaded.ok ? ok(part(loaded.value, range)) : err(loaded.error);
    },
    grep: (pattern, options) => grepFiles(root, load, pattern, options),
    snapshot: (first) => takeSnapshot(root, load, first ?? []),
  };
}

type Loaded = { readonly path: string; readonly text: string; readonly cut: boolean };
type Load = (path: string) => Promise<Result<Loaded, ReadRefusal>>;

async function listFiles(root: string): Promise<string[]> {
  const found: string[] = [];
  const waiting = [''];
  let seen = 0;
  // Breadth first, so that a huge folder cannot hide the manifests beside it.
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const entries = await readdir(join(root, next), { withFileTypes: true }).catch(() => []);
    for (const entry of entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))) {
      if (++seen > MOST_ENTRIES || found.length >= MOST_FILES) return found;
      const path = next === '' ? entry.name : `${next}/${entry.name}`;
      if (isDenied(path) || entry.name.includes('\\')) continue;
      if (entry.isDirectory() && !SKIPPED.has(entry.name)) waiting.push(path);
      if (entry.isFile()) found.push(path);
    }
  }
  return found;
}

async function loadText(
  root: string,
  path: string,
  secrets: readonly string[],
): Promise<Result<Loaded, ReadRefusal>> {
  const opened = await openContained(root, path);
  if (!opened.ok) return opened;
  try {
    const buffer = Buffer.alloc(MOST_BYTES_PER_FILE + 1);
    let size = 0;
    for (let read = -1; read !== 0 && size < buffer.length; size += read)
      ({ bytesRead: read } = await opened.value.handle.read(
        buffer,
        size,
        buffer.length - size,
        size,
      ));
    const cut = size > MOST_BYTES_PER_FILE;
    const bytes = buffer.subarray(0, Math.min(size, MOST_BYTES_PER_FILE));
    const text = bytes.includes(0) ? '' : bytes.toString('utf8');
    return ok({
      path: opened.value.path,
      text: redact(cut ? wholeLines(text) : text, secrets),
      cut,
    });
  } finally {
    await opened.value.handle.close();
  }
}

/** A secret that the limit cut in two would no longer be known as one. */
const wholeLines = (text: string): string => text.slice(0, text.lastIndexOf('\n') + 1);

function part({ path, text, cut }: Loaded, range: LineRange = {}): FilePart {
  const lines = text.split('\n');
  const from = Math.max(1, Math.floor(range.from ?? 1));
  const count = Math.min(MOST_LINES, Math.max(1, Math.floor(range.lines ?? MOST_LINES)));
  const chosen = lines.slice(from - 1, from - 1 + count);
  const truncated = cut || from - 1 + count < lines.length;
  return {
    path,
    from,
    text: chosen.map((line) => line.slice(0, LONGEST_LINE)).join('\n'),
    truncated,
  };
}

async function grepFiles(
  root: string,
  load: Load,
  pattern: RegExp,
  { under = '', most = MOST_HITS }: GrepOptions = {},
): Promise<GrepHit[]> {
  if (pattern.source.length > LONGEST_PATTERN) return [];
  const search = new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ''));
  const folder = under.replace(/^\.?\/+|\/+$/g, '');
  const found: GrepHit[] = [];
  for (const path of await listFiles(root)) {
    if (found.length >= Math.min(most, MOST_HITS)) break;
    if (isUnder(path, folder)) found.push(...(await matchesIn(load, path, search)));
  }
  return found.slice(0, Math.min(most, MOST_HITS));
}

const isUnder = (path: string, folder: string): boolean =>
  folder === '' || path === folder || path.startsWith(`${folder}/`);

async function matchesIn(load: Load, path: string, search: RegExp): Promise<GrepHit[]> {
  const loaded = await load(path);
  if (!loaded.ok) return [];
  return loaded.value.text.split('\n').flatMap((line, index) => {
    const text = line.slice(0, LONGEST_LINE);
    return search.test(text) ? [{ file: path, line: index + 1, text }] : [];
  });
}

/** Reads the named paths first, then settings and sources, until the memory for it is used up. */
async function takeSnapshot(root: string, load: Load, first: readonly string[]): Promise<Snapshot> {
  const paths = await listFiles(root);
  const known = new Set(paths);
  const wanted = [
    ...first.filter((path) => known.has(path)),
    ...paths.filter((path) => SOURCE_OR_SETTING.test(path)),
  ];
  const texts = new Map<string, string>();
  let bytes = 0;
  for (const path of new Set(wanted)) {
    if (bytes > MOST_BYTES) break;
    const loaded = await load(path);
    if (!loaded.ok) continue;
    texts.set(path, loaded.value.text);
    bytes += loaded.value.text.length;
  }
  return { paths, text: (path) => texts.get(path) ?? null };
}
