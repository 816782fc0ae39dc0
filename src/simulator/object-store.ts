/** Files by path; the content is all there is. */
export type Files = ReadonlyMap<string, string>;

export type StoredCommit = {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly message: string;
  readonly at: number;
  readonly generation: number;
};

export type Merged =
  | { readonly kind: 'tree'; readonly tree: string }
  | { readonly kind: 'conflict'; readonly files: readonly string[] }
  | { readonly kind: 'unrelated' };

/** Commits and trees in memory, named by what they hold, merged file by file. */
export type ObjectStore = {
  commit(files: Files, parents: readonly string[], message: string, at: number): string;
  find(id: string): StoredCommit | null;
  files(tree: string): Files;
  /** The commit itself and everything before it. */
  history(id: string): ReadonlySet<string>;
  mergeBase(a: string, b: string): string | null;
  merge(ours: string, theirs: string): Merged;
};

export function objectStore(): ObjectStore {
  const commits = new Map<string, StoredCommit>();
  const trees = new Map<string, Files>();
  const histories = new Map<string, ReadonlySet<string>>();
  const must = (id: string): StoredCommit => {
    const found = commits.get(id);
    if (found === undefined) throw new Error(`There is no commit ${id}`);
    return found;
  };
  const history = (id: string): ReadonlySet<string> => {
    const known = histories.get(id);
    if (known !== undefined) return known;
    const made = new Set([id]);
    for (const parent of must(id).parents) for (const each of history(parent)) made.add(each);
    histories.set(id, made);
    return made;
  };
  const keep = (files: Files): string => {
    const listed = [...files].toSorted(([a], [b]) => (a < b ? -1 : 1));
    const tree = nameOf(`tree ${JSON.stringify(listed)}`);
    trees.set(tree, new Map(listed));
    return tree;
  };
  const filesOf = (id: string): Files => trees.get(must(id).tree) ?? new Map<string, string>();
  const mergeBase = (a: string, b: string): string | null => {
    const theirs = history(b);
    const shared = [...history(a)].filter((id) => theirs.has(id)).map(must);
    const best = shared.reduce<StoredCommit | null>(
      (top, each) => (top === null || each.generation > top.generation ? each : top),
      null,
    );
    return best?.id ?? null;
  };
  return {
    find: (id) => commits.get(id) ?? null,
    files: (tree) => trees.get(tree) ?? new Map<string, string>(),
    history,
    mergeBase,
    commit(files, parents, message, at) {
      const tree = keep(files);
      const id = nameOf(`commit ${JSON.stringify([tree, parents, message, at])}`);
      const generation = 1 + Math.max(0, ...parents.map((each) => must(each).generation));
      if (!commits.has(id)) commits.set(id, { id, tree, parents, message, at, generation });
      return id;
    },
    merge(ours, theirs) {
      const base = mergeBase(ours, theirs);
      if (base === null) return { kind: 'unrelated' };
      const made = threeWay(filesOf(base), filesOf(ours), filesOf(theirs));
      return made.conflicts.length > 0
        ? { kind: 'conflict', files: made.conflicts }
        : { kind: 'tree', tree: keep(made.files) };
    },
  };
}

/** A path that both sides changed in different ways collides. */
export function threeWay(
  base: Files,
  ours: Files,
  theirs: Files,
): { files: Map<string, string>; conflicts: string[] } {
  const files = new Map<string, string>();
  const conflicts: string[] = [];
  for (const path of new Set([...ours.keys(), ...theirs.keys()])) {
    const [was, mine, other] = [base.get(path), ours.get(path), theirs.get(path)];
    if (mine !== other && mine !== was && other !== was) conflicts.push(path);
    const chosen = mine === was ? other : mine;
    if (chosen !== undefined) files.set(path, chosen);
  }
  return { files, conflicts: conflicts.toSorted() };
}

const LANES = 5;
const HEX = 8;

/** 40 digits like git's, from five runs of FNV-1a: no secret, only a name. */
function nameOf(text: string): string {
  const bytes = new TextEncoder().encode(text);
  return Array.from({ length: LANES }, (_, lane) => {
    let hash = Math.imul(0x811c9dc5, 2 * lane + 1);
    for (const byte of bytes) hash = Math.imul(hash ^ byte, 0x01000193) ^ (hash >>> 13);
    return (hash >>> 0).toString(16).padStart(HEX, '0');
  }).join('');
}
