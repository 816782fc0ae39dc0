import { ok, type Result } from '../../lib/result.ts';
import type { CommitId, NoAnswer, UnknownRevision } from '../../ports/repository.ts';
import { about, fields, isObjectId, type Git } from './git.ts';
import type { View } from './view.ts';

export type AttributeFile = { readonly blob: string; readonly path: string };

const NAME = '.gitattributes';
/** Trees read one by one before a listing of the whole commit is cheaper. */
const MOST_READ = 200;
const MOST_KNOWN = 500_000;

/**
 * The `.gitattributes` files of a commit. What a tree holds never changes, so after the first listing only
 * the folders that differ are looked into, through the git that stays.
 */
export async function attributeFiles(
  git: Git,
  commit: CommitId,
): Promise<Result<readonly AttributeFile[], UnknownRevision | NoAnswer>> {
  const known = treesOf(git.view);
  if (known.size > 0 && isObjectId(commit)) {
    const walked = await walk(git, known, `${commit}^{tree}`, { left: MOST_READ });
    if (walked !== null) return ok(walked);
  }
  return list(git, known, commit);
}

/** Files by the tree they are in or below, with paths from there. */
type Trees = Map<string, readonly AttributeFile[]>;

const trees = new WeakMap<View, Trees>();
const NO_FILES: readonly AttributeFile[] = [];

function treesOf(view: View): Trees {
  const known = trees.get(view) ?? new Map<string, readonly AttributeFile[]>();
  trees.set(view, known);
  if (known.size > MOST_KNOWN) known.clear();
  return known;
}

/** Null when git did not answer, or the trees are too many. */
async function walk(
  git: Git,
  known: Trees,
  expression: string,
  budget: { left: number },
): Promise<readonly AttributeFile[] | null> {
  const before = known.get(expression);
  if (before !== undefined) return before;
  budget.left -= 1;
  if (budget.left < 0) return null;
  const read = await git.staying.objects.ask({ expression, want: 'contents' });
  if (!read.ok || read.value?.type !== 'tree') return null;
  const { id, bytes } = read.value;
  const again = known.get(id);
  if (again !== undefined) return again;
  const entries = entriesOf(bytes, id.length / 2);
  const below = await Promise.all(
    entries
      .filter(({ mode }) => mode === '40000')
      .map(async ({ name, id: tree }) => ({ name, files: await walk(git, known, tree, budget) })),
  );
  const files = entries.flatMap(({ mode, name, id: blob }) =>
    mode.startsWith('100') && name === NAME ? [{ blob, path: NAME }] : [],
  );
  for (const { name, files: inside } of below) {
    if (inside === null) return null;
    files.push(...inside.map(({ blob, path }) => ({ blob, path: `${name}/${path}` })));
  }
  known.set(id, files.length === 0 ? NO_FILES : files);
  return files;
}

type Entry = { readonly mode: string; readonly name: string; readonly id: string };

/** Mode, name, and the id in bytes, without anything between entries. */
function entriesOf(tree: Buffer, idBytes: number): Entry[] {
  const entries: Entry[] = [];
  for (let at = 0; at < tree.length;) {
    const space = tree.indexOf(32, at);
    const end = tree.indexOf(0, space);
    entries.push({
      mode: tree.toString('latin1', at, space),
      name: tree.toString('utf8', space + 1, end),
      id: tree.toString('hex', end + 1, end + 1 + idBytes),
    });
    at = end + 1 + idBytes;
  }
  return entries;
}

/** Everything by one git, and what it says of every folder on the way. */
async function list(
  git: Git,
  known: Trees,
  commit: CommitId,
): Promise<Result<readonly AttributeFile[], UnknownRevision | NoAnswer>> {
  const args = ['ls-tree', '-r', '-t', '-z', '--full-tree', commit];
  const listed = await about(git, [commit], { args });
  if (!listed.ok) return listed;
  const rows = fields(listed.value.stdout.toString('utf8')).map((row) => {
    const [, mode = '', type = '', id = '', path = ''] = ROW.exec(row) ?? [];
    return { mode, type, id, path };
  });
  const folders = rows
    .filter(({ type }) => type === 'tree')
    .map(({ id, path }) => ({ tree: id, path: `${path}/` }));
  const files = rows
    .filter(({ mode, path }) => mode.startsWith('100') && isNamed(path))
    .map(({ id, path }) => ({ blob: id, path }));
  remember(known, [{ tree: `${commit}^{tree}`, path: '' }, ...folders], files);
  return ok(files);
}

function remember(
  known: Trees,
  folders: readonly { readonly tree: string; readonly path: string }[],
  files: readonly AttributeFile[],
): void {
  for (const { tree, path } of folders) {
    const inside = files
      .filter((file) => file.path.startsWith(path))
      .map((file) => ({ blob: file.blob, path: file.path.slice(path.length) }));
    known.set(tree, inside.length === 0 ? NO_FILES : inside);
  }
}

const isNamed = (path: string): boolean => path === NAME || path.endsWith(`/${NAME}`);

const ROW = /^(\d+) (\w+) ([0-9a-f]+)\t(.*)$/s;
