// npm start: sets up, then plays `convoy demo` with the flags given and stays up; --exit ends after it.
import { spawn } from 'node:child_process';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { setUp } from './set-up.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const node = setUp();
const command = [join(root, 'bin', 'convoy.js'), 'demo', ...process.argv.slice(2)];
const child = spawn(node, command, { stdio: 'inherit' });
// A terminal's Ctrl-C reaches the child by itself; a second one would end it before it tidied up.
process.on('SIGINT', () => {});
process.on('SIGTERM', () => child.kill('SIGTERM'));
child.on('error', (error) => {
  process.stderr.write(`convoy: ${node} cannot be run: ${error.message}\n`);
  process.exit(1);
});
child.on('exit', (code) => process.exit(code ?? 1));
