import { statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { err, ok, type Result } from '../lib/result.ts';
import type { SettingsProblem } from '../ports/settings.ts';

export const WORKSPACE_DIR = '.convoy';
export const CONFIG_FILE = 'config.toml';

/** `root` is the directory a person works in, `dir` the `.convoy` inside it. */
export type Workspace = { readonly root: string; readonly dir: string };

/**
 * Finds the workspace from a directory upwards, as git finds `.git`.
 *
 * The directory is the one a person stands in, or named (`-C`, `--dir`, CONVOY_DIR): naming one is
 * like going there first. Inside `.convoy` itself its own workspace is meant.
 */
export function findWorkspace(from: string): Result<Workspace, SettingsProblem> {
  const start = resolve(from);
  if (!isDirectory(start)) return none(`${start} is not a directory.`, 'Name one that exists.');
  for (let root = start; ; root = dirname(root)) {
    const dir = join(root, WORKSPACE_DIR);
    if (isDirectory(dir)) return ok({ root, dir });
    if (dirname(root) === root) break;
  }
  return none(`There is no workspace in ${start} or any directory above it.`, 'convoy init');
}

const none = (message: string, remedy: string): Result<never, SettingsProblem> =>
  err({ code: 'no_workspace', message, remedy });

const isDirectory = (path: string): boolean =>
  statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
