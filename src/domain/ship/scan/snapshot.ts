import type { Json } from './json.ts';

/** A repository as the rules see it: names of its files and the text of those worth reading. */
export interface Snapshot {
  /** Name of the directory that was read. */
  readonly name: string;
  /** Paths relative to the root, with forward slashes, sorted. */
  readonly files: readonly string[];
  /** True when the walk stopped before it had seen everything. */
  readonly truncated: boolean;
  text(path: string): string | undefined;
  /** The parsed content of a JSON, TOML or YAML file; undefined when absent or broken. */
  data(path: string): Json | undefined;
  /** Files that should be data but could not be parsed. */
  readonly broken: readonly string[];
}

export const join = (directory: string, name: string): string => {
  if (directory === '.' || directory === '') return name;
  return name === '.' || name === '' ? directory : `${directory}/${name}`;
};

export const directoryOf = (path: string): string => {
  const cut = path.lastIndexOf('/');
  return cut < 0 ? '.' : path.slice(0, cut);
};

export const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

export const isBelow = (path: string, directory: string): boolean =>
  directory === '.' || path === directory || path.startsWith(`${directory}/`);

/** `a/./b/../c` → `a/c`; climbing out of the root gives null. */
export function normalise(path: string): string | null {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part !== '..') parts.push(part);
    else if (parts.pop() === undefined) return null;
  }
  return parts.length === 0 ? '.' : parts.join('/');
}

/** The way from one directory to a path, both relative to the root. */
export function relativeTo(from: string, path: string): string {
  if (from === '.') return path;
  const start = from.split('/');
  const end = path === '.' ? [] : path.split('/');
  let same = 0;
  while (same < start.length && same < end.length && start[same] === end[same]) same += 1;
  const steps = [...start.slice(same).map(() => '..'), ...end.slice(same)];
  return steps.length === 0 ? '.' : steps.join('/');
}
