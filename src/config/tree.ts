/** Plain data as a TOML document yields it. */
export type Table = Readonly<Record<string, unknown>>;

export function isTable(value: unknown): value is Table {
  return (
    typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)
  );
}

/** The value at a path whose parts are keys or, inside lists, numbers. */
export function valueAt(tree: unknown, path: readonly string[]): unknown {
  let value = tree;
  for (const part of path) value = childOf(value, part);
  return value;
}

/** The same tree with one value put in; tables on the way are made. BLOCKED when a plain value is in the way. */
export function withValue(tree: unknown, path: readonly string[], value: unknown): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return value;
  if (Array.isArray(tree)) {
    const index = Number(part);
    if (!/^\d+$/.test(part) || index > tree.length) return BLOCKED;
    const child = withValue(tree[index], rest, value);
    return child === BLOCKED ? BLOCKED : [...tree.slice(0, index), child, ...tree.slice(index + 1)];
  }
  if (tree !== undefined && !isTable(tree)) return BLOCKED;
  const child = withValue(childOf(tree, part), rest, value);
  return child === BLOCKED ? BLOCKED : { ...tree, [part]: child };
}

/** The same tree without what stands at a path that exists. */
export function without(tree: unknown, path: readonly string[]): unknown {
  const [part, ...rest] = path;
  if (part === undefined) return tree;
  if (Array.isArray(tree)) {
    const index = Number(part);
    return rest.length === 0
      ? tree.toSpliced(index, 1)
      : tree.with(index, without(tree[index], rest));
  }
  if (!isTable(tree)) return tree;
  const { [part]: child, ...others } = tree;
  return rest.length === 0 ? others : { ...tree, [part]: without(child, rest) };
}

/** What `withValue` gives when the path leads through a value that holds nothing. */
export const BLOCKED = Symbol('blocked');

function childOf(value: unknown, part: string): unknown {
  if (Array.isArray(value)) return /^\d+$/.test(part) ? value[Number(part)] : undefined;
  return isTable(value) && Object.hasOwn(value, part) ? value[part] : undefined;
}
