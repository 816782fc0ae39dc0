import { statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { err, ok, type Result } from '../lib/result.ts';
import type { SettingsProblem } from '../ports/settings.ts';

export const WORKSPACE_DIR = '.convoy';
export const CONFIG_FILE = 'config.toml';

/** `root` is the directory a person works in, `dir` the `.convoy` inside it. */
export type Workspace = { readonly root: string; readonly dir: string };

/**
 * Finds the workspace from a directory upwards, as git finds `.git`.
 * With an override (`-C`, `--dir` or CONVOY_DIR) only that directory, or the `.convoy` itself, counts.
 */
export function findWorkspace(from: string, override?: string): Result<Workspace, SettingsProblem> {
  if (override !== undefined) return named(resolve(from, override));
  for (let root = resolve(from); ; root = dirname(root)) {
    const dir = join(root, WORKSPACE_DIR);
    if (isDirectory(dir)) return ok({ root, dir });
    if (dirname(root) === root) break;
  }
  return none(`There is no workspace in ${resolve(from)} or any directory above it.`);
}

function named(root: string): Result<Workspace, SettingsProblem> {
  const dir = join(root, WORKSPACE_DIR);
  if (isDirectory(dir)) return ok({ root, dir });
  if (basename(root) === WORKSPACE_DIR && isDirectory(root)) {
    return ok({ root: dirname(root), dir: root });
  }
  return none(
    isDirectory(root)
      ? `${root} holds no ${WORKSPACE_DIR} directory.`
      : `${root} is not a directory.`,
  );
}

const none = (message: string): Result<never, SettingsProblem> =>
  err({ code: 'no_workspace', message, remedy: 'convoy init' });

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
