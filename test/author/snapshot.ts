import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { Rig } from '../git/rig.ts';

/** Everything of the user's that must not change: files with their times, index, stash, branches, HEAD. */
export function snapshotOf(rig: Rig): Record<string, unknown> {
  const gitFile = (name: string): string => digest(readFileSync(join(rig.repo, '.git', name)));
  const refs = readRefs(join(rig.repo, '.git/refs'), 'refs').filter(
    ([name]) => !name.startsWith('refs/heads/convoy/'),
  );
  return {
    index: gitFile('index'),
    head: readFileSync(join(rig.repo, '.git/HEAD'), 'utf8'),
    config: gitFile('config'),
    refs,
    headLog: gitFile('logs/HEAD'),
    files: filesOf(rig.repo, ''),
  };
}

function readRefs(directory: string, name: string): [string, string][] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const at = join(directory, entry.name);
    const ref = `${name}/${entry.name}`;
    return entry.isDirectory()
      ? readRefs(at, ref)
      : [[ref, readFileSync(at, 'utf8')] as [string, string]];
  });
}

function filesOf(root: string, under: string): string[] {
  return readdirSync(join(root, under), { withFileTypes: true })
    .filter(({ name }) => !(under === '' && name === '.git'))
    .flatMap(({ name }) => {
      const path = join(under, name);
      const info = lstatSync(join(root, path));
      if (info.isDirectory()) return filesOf(root, path);
      const content = info.isSymbolicLink()
        ? readlinkSync(join(root, path))
        : readFileSync(join(root, path));
      return [`${path} ${info.mode.toString(8)} ${info.mtimeMs} ${info.ino} ${digest(content)}`];
    })
    .toSorted();
}

const digest = (content: string | Buffer): string =>
  createHash('sha256').update(content).digest('hex');
