// Installs the real agent command lines into .agents/, pinned, away from the product's own packages:
// `node scripts/agents-install.mjs [--optional] [claude] [codex] [opencode] [gemini]`, all without names.
// What is there in the pinned version is not fetched again. With --optional one that cannot be had is
// named and is no failure: its tests say that they were skipped.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import process from 'node:process';

const PINNED = {
  claude: ['@anthropic-ai/claude-code', '2.1.325'],
  codex: ['@openai/codex', '0.166.0'],
  gemini: ['@google/gemini-cli', '0.61.0'],
  opencode: ['opencode-ai', '1.18.33'],
};
const LONGEST_MS = 150_000;

const prefix = resolve(import.meta.dirname, '..', '.agents');
const options = process.argv.slice(2).filter((word) => word.startsWith('-'));
const names = process.argv.slice(2).filter((word) => !word.startsWith('-'));
const unknown = [
  ...options.filter((word) => word !== '--optional'),
  ...names.filter((name) => !Object.hasOwn(PINNED, name)),
];
if (unknown.length > 0) {
  console.error(
    `${unknown.join(', ')}: known are --optional and ${Object.keys(PINNED).join(', ')}`,
  );
  process.exit(2);
}

const wanted = names.length === 0 ? Object.keys(PINNED) : names;
for (const name of wanted.filter((each) => !isHere(each))) fetchOne(name);
const missing = wanted.filter((name) => !isHere(name));
const here = wanted.filter((name) => !missing.includes(name));
if (here.length > 0) console.error(`agents: ${here.join(', ')} in .agents/`);
if (missing.length > 0) console.error(`agents: not installed: ${missing.join(', ')}`);
process.exit(missing.length > 0 && !options.includes('--optional') ? 1 : 0);

/** The pinned version, with the program it brings. */
function isHere(name) {
  const [pkg, version] = PINNED[name];
  const manifest = join(prefix, 'node_modules', pkg, 'package.json');
  if (!existsSync(manifest) || !existsSync(join(prefix, 'node_modules', '.bin', name)))
    return false;
  return JSON.parse(readFileSync(manifest, 'utf8')).version === version;
}

/** One at a time, so that one that cannot be had does not keep the others away. */
function fetchOne(name) {
  const kept = Object.keys(PINNED).filter((each) => each === name || isHere(each));
  mkdirSync(prefix, { recursive: true });
  // Everything in the folder is somebody else's, so the folder hides itself from git.
  writeFileSync(join(prefix, '.gitignore'), '*\n');
  const dependencies = Object.fromEntries(kept.map((each) => PINNED[each]));
  writeFileSync(
    join(prefix, 'package.json'),
    `${JSON.stringify({ private: true, dependencies }, null, 2)}\n`,
  );
  console.error(`agents: fetching ${PINNED[name].join('@')}`);
  const { error } = spawnSync(
    process.platform === 'win32' ? 'npm.cmd' : 'npm',
    ['install', '--prefix', prefix, '--no-audit', '--no-fund', '--loglevel=error'],
    { cwd: prefix, stdio: ['ignore', 2, 2], timeout: LONGEST_MS },
  );
  if (error !== undefined) console.error(`agents: npm did not finish: ${error.message}`);
}
