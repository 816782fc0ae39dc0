import { isTable, type Table } from './tree.ts';

/** A value as TOML on one line; null when TOML has no such value. */
export function inline(value: unknown): string | null {
  if (typeof value === 'string') return quoted(value);
  if (typeof value === 'number') return number(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return listOf(value);
  return isTable(value) ? inlineTable(value) : null;
}

/** A key, or a dotted key, quoted where it must be. */
export const keyOf = (path: readonly string[]): string =>
  path.map((part) => (/^[A-Za-z0-9_-]+$/.test(part) ? part : quoted(part))).join('.');

/** A table under its own header, tables inside it after its plain keys; null as for `inline`. */
export function block(path: readonly string[], value: Table): readonly string[] | null {
  return section(`[${keyOf(path)}]`, path, value);
}

/** Every element under a header of its own; null as for `inline`. */
export function listBlock(path: readonly string[], list: readonly Table[]): string[] | null {
  return joined(list.map((element) => section(`[[${keyOf(path)}]]`, path, element)));
}

export const isListOfTables = (value: unknown): value is readonly Table[] =>
  Array.isArray(value) && value.length > 0 && value.every(isTable);

function section(header: string, path: readonly string[], value: Table): readonly string[] | null {
  const lines = [header];
  const blocks: (readonly string[] | null)[] = [];
  for (const [key, child] of Object.entries(value)) {
    if (isTable(child)) blocks.push(block([...path, key], child));
    else if (isListOfTables(child)) blocks.push(listBlock([...path, key], child));
    else {
      const written = inline(child);
      if (written === null) return null;
      lines.push(`${keyOf([key])} = ${written}`);
    }
  }
  return joined([lines, ...blocks]);
}

function joined(blocks: readonly (readonly string[] | null)[]): string[] | null {
  const lines: string[] = [];
  for (const one of blocks) {
    if (one === null) return null;
    lines.push(...(lines.length === 0 ? [] : ['']), ...one);
  }
  return lines;
}

function listOf(values: readonly unknown[]): string | null {
  const items = values.map(inline);
  return items.includes(null) ? null : `[${items.join(', ')}]`;
}

function inlineTable(table: Table): string | null {
  const pairs = Object.entries(table).map(([key, value]) => {
    const written = inline(value);
    return written === null ? null : `${keyOf([key])} = ${written}`;
  });
  if (pairs.includes(null)) return null;
  return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`;
}

function number(value: number): string {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (Object.is(value, -0)) return '-0.0';
  // An integer that no longer fits is still a fine float.
  return Number.isInteger(value) && !Number.isSafeInteger(value)
    ? value.toExponential()
    : String(value);
}

/** JSON's escapes are TOML's, except that TOML wants DEL escaped too. */
const quoted = (text: string): string => JSON.stringify(text).replaceAll('\u007F', '\\u007f');
