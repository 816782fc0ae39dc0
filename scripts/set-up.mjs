// Brings a checkout to the point where everything runs: packages (with Node 24) and the bundles.
// Plain JavaScript for any Node >= 20; says what it does, does nothing twice.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, pathToFileURL } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const stamp = join(root, 'node_modules', '.convoy-set-up');

export function setUp() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package.json')))
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
    say('installing packages (once, about half a minute)');
    run(npm(), ['install', '--no-audit', '--no-fund', '--loglevel=error']);
    writeFileSync(stamp, wanted);
  }
  if (newest(join(root, 'src')) > builtAt()) {
    say('building');
    run(node(), [join(root, 'scripts', 'build.mjs')]);
  }
  return node();
}

/** The Node that came with the packages, or the one that runs this where it is new enough. */
function node() {
  const bundled = join(
    root,
    'node_modules',
    '.bin',
    process.platform === 'win32' ? 'node.cmd' : 'node',
  );
  return existsSync(bundled) ? bundled : process.execPath;
}

const npm = () => (process.platform === 'win32' ? 'npm.cmd' : 'npm');

function run(command, args) {
  const { status, error } = spawnSync(command, args, { cwd: root, stdio: ['ignore', 2, 2] });
  if (error) say(`${command} cannot be run: ${error.message}`);
  if (status !== 0) process.exit(status ?? 1);
}

function builtAt() {
  const file = join(root, 'dist', 'cli.js');
  return existsSync(file) ? statSync(file).mtimeMs : 0;
}

function newest(directory) {
  return Math.max(
    ...readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => statSync(join(entry.parentPath, entry.name)).mtimeMs),
  );
}

function say(text) {
  process.stderr.write(`convoy: ${text}\n`);
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) setUp();
