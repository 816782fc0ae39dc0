import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A repository with one commit, made by bare git and gone after the test. */
export type Scratch = {
  readonly path: string;
  readonly index: string;
  readonly git: (...args: string[]) => string;
  /** Git with this on its standard input. */
  readonly fed: (input: string | Buffer, ...args: string[]) => string;
  readonly put: (name: string, content?: string) => void;
};

const FILES = ['a', 'a.c', 'a0', 'a-/x', 'src/b', 'src/deep/er/c', 'docs/日本語.md'];

export function scratch(format: 'sha1' | 'sha256' = 'sha1'): Scratch {
  const path = mkdtempSync(join(tmpdir(), 'convoy-scratch-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  const fed = (input: string | Buffer, ...args: string[]): string =>
    execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], {
      cwd: path,
      input,
      encoding: 'utf8',
    }).trim();
  const git = (...args: string[]): string => fed('', ...args);
  const put = (name: string, content = ''): void => {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), content);
  };
  git('init', '-q', `--object-format=${format}`);
  for (const name of FILES) put(name, name);
  git('add', '.');
  git('commit', '-qm', 'all');
  return { path, index: join(path, '.git', 'index'), git, fed, put };
}
