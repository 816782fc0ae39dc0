import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A directory of its own, gone with `using`. */
export function tempDir(): Disposable & { readonly path: string } {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'convoy-ship-')));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

export function write(root: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
}

const IDENTITY = {
  GIT_AUTHOR_NAME: 'Ada',
  GIT_AUTHOR_EMAIL: 'ada@example.com',
  GIT_COMMITTER_NAME: 'Ada',
  GIT_COMMITTER_EMAIL: 'ada@example.com',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
};

export const git = (cwd: string, ...args: string[]): string =>
  execFileSync('git', args, {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...IDENTITY },
  }).trim();

/** A repository with one commit. */
export function repository(root: string, files: Readonly<Record<string, string>>): string {
  mkdirSync(root, { recursive: true });
  git(root, 'init', '--quiet', '--initial-branch=main');
  write(root, files);
  git(root, 'add', '--all');
  git(root, 'commit', '--quiet', '--message=one');
  return root;
}

/** A service that needs nothing but Node. */
export const SERVICE = {
  'package.json': JSON.stringify({
    name: 'hello',
    private: true,
    type: 'module',
    scripts: { start: 'node server.js' },
  }),
  'server.js': [
    "import { createServer } from 'node:http';",
    'createServer((request, response) => {',
    "  if (request.url === '/health') response.end('ok');",
    "  else response.writeHead(404).end('none');",
    '}).listen(Number(process.env.PORT ?? 3000));',
    '',
  ].join('\n'),
};
