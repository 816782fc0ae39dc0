import { execFile } from 'node:child_process';
import { accessSync, constants, statSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { freemem } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Machine } from '../../ports/machine.ts';

const PATIENCE_MS = 5000;

/** The machine this process runs on. */
export const thisMachine = (env: Readonly<Record<string, string | undefined>>): Machine => ({
  version: (argv) => version(argv),
  which: (command) => which(command, env['PATH'] ?? ''),
  freeBytes: async (directory) => {
    const { bavail, bsize } = await statfs(directory);
    return bavail * bsize;
  },
  freeMemoryBytes: () => freemem(),
  isAlive,
  nodeVersion: process.version,
  platform: process.platform,
});

function version(
  argv: readonly string[],
): Promise<{ found: true; text: string } | { found: false; why: string }> {
  const [command = '', ...args] = argv;
  return new Promise((resolve) => {
    execFile(command, args, { timeout: PATIENCE_MS, encoding: 'utf8' }, (error, stdout) => {
      if (error === null) return resolve({ found: true, text: stdout.split('\n')[0] ?? '' });
      const why = error.code === 'ENOENT' ? `${command} is not found` : error.message;
      return resolve({ found: false, why });
    });
  });
}

function which(command: string, path: string): string | null {
  if (command.includes('/')) return isAbsolute(command) && isExecutable(command) ? command : null;
  for (const directory of path.split(delimiter).filter(Boolean)) {
    const candidate = join(directory, command);
    if (isExecutable(candidate)) return candidate;
  }
  return null;
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}
