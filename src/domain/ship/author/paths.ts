/** Paths inside a repository: relative, with slashes, `.` for the root. */
export const inDirectory = (directory: string, name: string): string =>
  directory === '.' ? name : `${directory}/${name}`;

export function directoryOf(path: string): string {
  const end = path.lastIndexOf('/');
  return end < 0 ? '.' : path.slice(0, end);
}

export const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Whether a path is the directory itself or lies in it. */
export const below = (path: string, directory: string): boolean =>
  directory === '.' || path === directory || path.startsWith(`${directory}/`);

export function ascend(path: string, steps: number): string {
  const parts = segments(path);
  return parts.slice(0, Math.max(0, parts.length - steps)).join('/') || '.';
}

export function commonDirectory(a: string, b: string): string {
  const [left, right] = [segments(a), segments(b)];
  const end = left.findIndex((part, at) => part !== right[at]);
  return left.slice(0, end < 0 ? left.length : end).join('/') || '.';
}

/** How to get from a directory to a path below it; `.` when they are the same. */
export function relativeTo(directory: string, path: string): string {
  if (directory === '.') return path;
  return path === directory ? '.' : path.slice(directory.length + 1);
}

/** How to get from a directory up to one of its ancestors. */
export const climbTo = (from: string, ancestor: string): string =>
  segments(relativeTo(ancestor, from))
    .map(() => '..')
    .join('/') || '.';

/** Every directory above a path, the root first. */
export function ancestors(path: string): readonly string[] {
  const parts = segments(directoryOf(path));
  return ['.', ...parts.map((_, at) => parts.slice(0, at + 1).join('/'))];
}

export const segments = (path: string): readonly string[] => (path === '.' ? [] : path.split('/'));
