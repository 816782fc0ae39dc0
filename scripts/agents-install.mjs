// Installs the real agent command lines into .agents/, pinned, away from the product's own packages.
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const PINNED = {
  '@anthropic-ai/claude-code': '2.1.325',
  '@google/gemini-cli': '0.61.0',
  '@openai/codex': '0.166.0',
  'opencode-ai': '1.18.33',
};

const prefix = resolve(import.meta.dirname, '..', '.agents');
mkdirSync(prefix, { recursive: true });
// Everything in the folder is somebody else's, so the folder hides itself from git.
writeFileSync(join(prefix, '.gitignore'), '*\n');
writeFileSync(
  join(prefix, 'package.json'),
  `${JSON.stringify({ private: true, dependencies: PINNED }, null, 2)}\n`,
);
const { status, error } = spawnSync(
  'npm',
  ['install', '--prefix', prefix, '--no-audit', '--no-fund', '--loglevel=error'],
  { cwd: prefix, stdio: 'inherit' },
);
if (error !== undefined) console.error(`npm could not be started: ${error.message}`);
process.exit(status ?? 1);
