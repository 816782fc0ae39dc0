#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import module from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { fileURLToPath } from 'node:url';

// Plain JavaScript, because it must run on a Node that is too old for the rest and say so.
const OLDEST_NODE = 24;
const here = dirname(realpathSync(fileURLToPath(import.meta.url)));
const root = dirname(here);

if (Number(process.versions.node.split('.')[0]) < OLDEST_NODE) restartWithNewerNode();
else await launch();

function restartWithNewerNode() {
  const bundled = join(
    root,
    'node_modules',
    '.bin',
    process.platform === 'win32' ? 'node.cmd' : 'node',
  );
  if (!existsSync(bundled)) {
    process.stderr.write(
      `convoy needs Node ${OLDEST_NODE} or newer; this is ${process.version}.\n` +
        `Install a newer Node, or run npm install in ${root}, which brings one.\n`,
    );
    process.exit(2);
  }
  const child = spawn(bundled, [join(here, 'convoy.js'), ...process.argv.slice(2)], {
    stdio: 'inherit',
  });
  // A terminal's Ctrl-C reaches the child by itself; a signal sent to this process alone does not.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'])
    process.on(signal, () => {
      if (signal !== 'SIGINT' || !process.stdin.isTTY) child.kill(signal);
    });
  child.on('error', (error) => {
    process.stderr.write(`convoy cannot start ${bundled}: ${error.message}\n`);
    process.exit(2);
  });
  child.on('exit', (code, signal) => {
    for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.removeAllListeners(name);
    if (signal !== null) process.kill(process.pid, signal);
    else process.exit(code ?? 1);
  });
}

async function launch() {
  module.enableCompileCache?.();
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const args = process.argv.slice(2);
  if (args.length === 1 && (args[0] === '--version' || args[0] === '-V')) {
    process.stdout.write(`convoy ${version}\n`);
    return;
  }
  // A checkout that was not built yet runs its sources.
  const built = existsSync(join(root, 'dist', 'cli.js'));
  const cli = built ? '../dist/cli.js' : '../src/cli/main.ts';
  const host = built ? '../dist/host.js' : '../src/daemon/host.ts';
  const [{ main }, { doors }] = await Promise.all([import(cli), import(host)]);
  const code = await main(args, {
    ...doors(version, [process.execPath, join(here, 'convoy.js')]),
    version,
    env: process.env,
    cwd: process.cwd(),
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    now: Date.now,
    onInterrupt,
  });
  process.exit(code);
}

function onInterrupt(listener) {
  process.on('SIGINT', listener);
  process.on('SIGTERM', listener);
  return () => {
    process.off('SIGINT', listener);
    process.off('SIGTERM', listener);
  };
}
