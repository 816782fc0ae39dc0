/**
 * The program that plays a script's steps, as text: `node <this> <steps file>` in the worktree.
 *
 * A real process, so that everything an agent can do to us (crash, hang, flood, fork, lie) is really
 * done. Text for the same reason as the executor's wrapper: it must be a file of its own, from sources
 * and from one bundled file alike. It tells each step as a line of JSON.
 */
export const RUNNER_SOURCE = String.raw`'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawn, spawnSync } = require('node:child_process');

const { steps, done } = JSON.parse(fs.readFileSync(process.argv[2], 'utf8'));
const GIT = ['-c', 'core.hooksPath=/dev/null', '-c', 'commit.gpgsign=false', '-c', 'user.name=Scripted Agent', '-c', 'user.email=scripted@convoy.invalid'];

const acts = {
  write: (step) => put(step.path, step.content),
  'write-outside': (step) => put(step.path, step.content),
  append: (step) => (parentOf(step.path), fs.appendFileSync(step.path, step.content)),
  edit(step) {
    const before = fs.readFileSync(step.path, 'utf8');
    if (!before.includes(step.find)) throw new Error('the text to replace is not in ' + step.path);
    fs.writeFileSync(step.path, before.split(step.find).join(step.replace));
  },
  delete: (step) => fs.rmSync(step.path, { recursive: true }),
  commit(step) {
    command(['git', ...GIT, 'add', '-A']);
    command(['git', ...GIT, 'commit', '-q', '--no-verify', '-m', step.message]);
  },
  print: (step) => send(step.stream === 'err' ? 2 : 1, Buffer.from(step.text)),
  say: (step) => tell({ type: 'message', text: step.text }),
  usage: (step) => tell({ type: 'usage', input: step.input, output: step.output, costUsd: step.costUsd ?? null }),
  sleep: (step) => new Promise((resolve) => setTimeout(resolve, step.ms)),
  async 'wait-for'(step) {
    for (const limit = Date.now() + step.timeoutMs; !fs.existsSync(step.path); ) {
      if (Date.now() > limit) throw new Error(step.path + ' did not appear');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  },
  flood(step) {
    const line = 'x'.repeat(99) + '\n';
    const chunk = Buffer.from(line.repeat(10000));
    for (let left = step.bytes; left > 0; left -= chunk.length) send(1, chunk.subarray(0, Math.min(left, chunk.length)));
  },
  fork(step) {
    const source = (step.ignoreTerm ? "process.on('SIGTERM',()=>{});" : '') + 'setTimeout(()=>{},' + step.ms + ')';
    for (let n = 0; n < step.count; n += 1) {
      const child = spawn(process.execPath, ['-e', source], { detached: step.escape, stdio: ['ignore', 'inherit', 'inherit'] });
      tell({ type: 'forked', pid: child.pid });
      child.unref();
    }
  },
  hang(step) {
    if (step.ignoreTerm) process.on('SIGTERM', () => {});
    return new Promise(() => setInterval(() => {}, 60000));
  },
  crash(step) {
    if (step.signal) process.kill(process.pid, step.signal);
    process.exit(step.code);
  },
  lie(step) {
    tell({ type: 'message', text: step.text });
    tell({ type: 'end' });
    process.exit(0);
  },
  done: (step) => command([...done, ...(step.noCode ? ['--no-code'] : []), ...(step.reason ? ['--reason', step.reason] : [])]),
  verdict: (step) => put(process.env.CONVOY_VERDICT_FILE, JSON.stringify({ verdict: step.verdict, findings: step.findings })),
};

play();

async function play() {
  for (const [number, step] of steps.entries()) {
    const id = String(number + 1);
    tell({ type: 'step', id, do: step.do, target: step.path ?? step.message ?? null });
    try {
      await acts[step.do](step);
      tell({ type: 'step-done', id });
    } catch (error) {
      tell({ type: 'step-failed', id, text: String(error && error.message || error) });
      process.exit(1);
    }
  }
  tell({ type: 'end' });
  process.exit(0);
}

function parentOf(file) {
  fs.mkdirSync(path.dirname(file), { recursive: true });
}

function put(file, content) {
  parentOf(file);
  fs.writeFileSync(file, content);
}

function command(argv) {
  const { status, signal, error, stdout, stderr } = spawnSync(argv[0], argv.slice(1), { encoding: 'utf8' });
  if (error) throw error;
  if (status !== 0) throw new Error(argv.join(' ') + ' ended with ' + (status ?? signal) + ': ' + (stderr || stdout).trim());
}

function tell(line) {
  send(1, Buffer.from(JSON.stringify(line) + '\n'));
}

function send(fd, bytes) {
  for (let at = 0; at < bytes.length; ) {
    try {
      at += fs.writeSync(fd, bytes, at);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
    }
  }
}
`;
