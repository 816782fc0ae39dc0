// npm start: sets up, makes an example workspace beside the sources, and runs `convoy up` on it.
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { setUp } from './set-up.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = setUp();
const example = join(root, '.convoy-example');
const flags = process.argv.slice(2);

if (!existsSync(join(example, '.convoy', 'config.toml'))) makeExample();
if (flags.includes('--exit')) {
  check(['up', '--detach']);
  check(['status']);
  check(['down']);
} else {
  process.stderr.write(`convoy: example workspace in ${example}\n`);
  const child = spawn(node, command(['up', ...flags]), { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
  child.on('exit', (code) => process.exit(code ?? 1));
}

function makeExample() {
  mkdirSync(example, { recursive: true });
  if (!existsSync(join(example, '.git'))) {
    git(['init', '-q', '-b', 'main']);
    writeFileSync(join(example, 'README.md'), '# Example\n');
    git(['add', 'README.md']);
    git(['-c', 'user.name=Convoy', '-c', 'user.email=convoy@localhost', 'commit', '-qm', 'Begin']);
  }
  check(['init', '--prefix', 'demo']);
  const epic = made(['task', 'create', 'Greeting service', '--type', 'epic']);
  const store = made(['task', 'create', 'Keep greetings in a file', '--parent', epic]);
  const api = made(['task', 'create', 'Answer GET /greetings', '--parent', epic, '--after', store]);
  made(['task', 'create', 'Health check', '--parent', epic]);
  made(['task', 'create', 'Document the API', '--parent', epic, '--after', api, '--type', 'chore']);
  check(['stage', epic]);
}

function made(args) {
  const { status, stdout } = spawnSync(node, command([...args, '--json']), { encoding: 'utf8' });
  if (status !== 0) fail(stdout);
  return JSON.parse(stdout).task.id;
}

function check(args) {
  const { status } = spawnSync(node, command(args), { stdio: 'inherit' });
  if (status !== 0) fail(`convoy ${args.join(' ')} ended with ${status}`);
}

function git(args) {
  const { status } = spawnSync('git', args, { cwd: example, stdio: 'inherit' });
  if (status !== 0) fail('git is needed');
}

function command(args) {
  return [join(root, 'bin', 'convoy.js'), '-C', example, ...args];
}

function fail(text) {
  process.stderr.write(`convoy: ${text}\n`);
  process.exit(1);
}
