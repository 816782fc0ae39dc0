import { parse as parseToml } from 'smol-toml';
import { parse as parseYaml } from 'yaml';
import type { Json } from '../../domain/ship/scan/json.ts';
import type { ScanResult } from '../../domain/ship/scan/lane.ts';
import type { Snapshot } from '../../domain/ship/scan/snapshot.ts';
import { survey } from '../../domain/ship/scan/survey.ts';
import { worthReading } from '../../domain/ship/scan/worth-reading.ts';
import { withoutComments } from '../../domain/ship/scan/without-comments.ts';
import type { FileTree } from '../../ports/file-tree.ts';

const AT_ONCE = 32;
const LONGEST_LINE = 2_000;

/** Reads a repository and says what could be deployed from it; runs and writes nothing. */
export async function scan(tree: FileTree): Promise<ScanResult> {
  return survey(await snapshotOf(tree));
}

/** Names and contents of a tree, parsed where a parser knows the format. */
export async function snapshotOf(tree: FileTree): Promise<Snapshot> {
  const { files, truncated } = await tree.list();
  const texts = await readAll(tree, worthReading(files));
  const parsed = new Map<string, Json>();
  const broken: string[] = [];
  for (const [file, text] of texts) {
    const parse = parserOf(file);
    if (parse === undefined) continue;
    try {
      parsed.set(file, parse(text));
    } catch {
      broken.push(file);
    }
  }
  const shown = new Map([...texts].map(([file, text]) => [file, withShortLines(text)]));
  return {
    name: tree.name,
    files,
    truncated,
    broken,
    text: (path) => shown.get(path),
    data: (path) => parsed.get(path),
  };
}

// A minified line tells nothing that a rule looks for and costs much to search.
function withShortLines(text: string): string {
  if (text.length <= LONGEST_LINE) return text;
  const lines = text.split('\n');
  if (lines.every((line) => line.length <= LONGEST_LINE)) return text;
  return lines.map((line) => line.slice(0, LONGEST_LINE)).join('\n');
}

async function readAll(tree: FileTree, files: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  for (let start = 0; start < files.length; start += AT_ONCE) {
    const some = files.slice(start, start + AT_ONCE);
    const read = await Promise.all(some.map((file) => tree.read(file)));
    for (const [index, text] of read.entries())
      if (text !== undefined) texts.set(some[index] ?? '', text);
  }
  return texts;
}

function parserOf(file: string): ((text: string) => Json) | undefined {
  if (/\.jsonc?$/.test(file)) return (text) => jsonOf(JSON.parse(withoutComments(text)));
  if (file.endsWith('.toml') || file === 'Pipfile' || file.endsWith('/Pipfile'))
    return (text) => jsonOf(parseToml(text));
  if (/\.ya?ml$/.test(file)) return (text) => jsonOf(parseYaml(text, { logLevel: 'error' }));
  return undefined;
}

const DEEPEST = 40;

/** Whatever a parser made, as plain data; dates become their text. */
function jsonOf(value: unknown, depth = 0): Json {
  if (value === null || value === undefined || depth > DEEPEST) return null;
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number')
    return value;
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, depth + 1));
  if (value instanceof Date) return value.toISOString();
  if (typeof value !== 'object') return null;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, jsonOf(item, depth + 1)]),
  );
}
