import { FAMILY_SOURCE } from './wrapper-family.ts';
import { OUTPUT_SOURCE } from './wrapper-output.ts';

/**
 * The program that stands between us and executions, as text.
 *
 * It outlives the engine, so it must be a file of its own; kept as text it is the same whether we run
 * from sources or from one bundled file, and the adapter writes it next to the executions. Plain
 * CommonJS on Node's own modules, because it should start quickly and need nothing beside it. A shell
 * would start sooner but cannot keep the end of an endless output within a fixed space.
 *
 * In: on its standard input, a line of JSON for each execution: `{dir, argv, cwd, env, stdin?, limits,
 * marker}`; the environment travels only there and never touches the disk. Half a line, from an engine
 * that died meanwhile, starts nothing. It runs one execution at a time; at the end of its input it
 * finishes the one it has, and goes.
 * Out, in the execution's directory:
 *   claim.json  who runs this execution; made by link(2), so exactly one wrapper (or stopper) wins
 *   pid.json    wrapper and program, each with the time it started
 *   out.log     the first half of the output, then tail.<n>.log, of which the last two are kept
 *   exit.json   how it ended; its space is reserved at the start, so that a full disk cannot lose it
 * and a line on standard output once each thing is recorded: `ready` when it can be told what to run; for
 * each execution `running` and `ended`, only `ended` when the program could not be started, or `taken`.
 *
 * A claim of a living wrapper without an end beside it is the execution it has now: whatever keeps it from
 * recording an end is the end of the wrapper too.
 */
const MAIN_SOURCE = String.raw`'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawn, execFileSync } = require('node:child_process');

const RESERVED = 4096;
const LONGEST_MESSAGE = 500;
const NEWLINE = 10;

/** Whole messages that wait, and the parts of one that is not whole yet. */
const heard = [];
let parts = [];
let isDeaf = false;
/** Where the execution under way keeps what went wrong with us; there is one execution at most. */
let complaints = null;

// The end of the group must not be the end of its witness.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {});
// What went wrong in one execution must not reach the next.
process.on('uncaughtException', (error) => {
  const text = (error?.stack ?? error) + '\n';
  if (complaints !== null) ignoring(() => fs.appendFileSync(complaints, text, { mode: 0o600 }));
  ignoring(() => fs.writeSync(2, text));
  process.exit(1);
});
process.stdin.on('data', hear);
for (const name of ['end', 'error']) process.stdin.on(name, () => ((isDeaf = true), next()));
tell('ready');

function hear(chunk) {
  let from = 0;
  for (let at = chunk.indexOf(NEWLINE); at >= 0; at = chunk.indexOf(NEWLINE, from)) {
    heard.push([...parts, chunk.subarray(from, at)]);
    parts = [];
    from = at + 1;
  }
  if (from < chunk.length) parts.push(chunk.subarray(from));
  next();
}

async function next() {
  if (complaints !== null) return;
  const message = heard.shift();
  if (message !== undefined) {
    const word = await execute(specOf(message));
    complaints = null;
    tell(word);
    next();
  } else if (isDeaf) process.exit(parts.length === 0 ? 0 : 1);
}

/** It holds secrets, so no copy of it stays. */
function specOf(message) {
  const whole = Buffer.concat(message);
  const spec = JSON.parse(whole.toString());
  for (const part of [whole, ...message]) part.fill(0);
  return spec;
}

async function execute(spec) {
  const file = (name) => path.join(spec.dir, name);
  complaints = file('wrapper.log');
  if (!claim(file)) return 'taken';
  fs.writeFileSync(file('exit.tmp'), ' '.repeat(RESERVED));
  recordEnd(file, await endOf(spec, file));
  return 'ended';
}

function claim(file) {
  const mine = file('claim.' + process.pid + '.tmp');
  fs.writeFileSync(mine, JSON.stringify({ by: 'wrapper', ...myself() }));
  const isMine = takePlace(mine, file('claim.json'));
  fs.rmSync(mine, { force: true });
  return isMine;
}

/** By a link, which is there whole or not at all; by an exclusive copy where there are no links. */
function takePlace(mine, taken) {
  try {
    fs.linkSync(mine, taken);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
  }
  try {
    fs.copyFileSync(mine, taken, fs.constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

/** Starts the program and waits until it, and what it left behind, is over. */
async function endOf(spec, file) {
  const cwd = path.resolve(spec.dir, spec.cwd);
  const program = resolveProgram(spec, cwd);
  if (program.error) return notStarted({ code: 'ENOENT', message: program.error });
  let child;
  try {
    child = start(program.argv, cwd, spec, file);
  } catch (error) {
    return notStarted(error);
  }
  spec.env = spec.stdin = undefined;
  const gone = new Promise((resolve) => {
    child.on('error', (error) => resolve({ error }));
    child.on('exit', (code, signal) => resolve({ code, signal, at: Date.now() }));
  });
  if (child.pid === undefined) return notStarted((await gone).error);
  const closed = new Promise((resolve) => child.on('close', resolve));
  let began;
  try {
    began = recordPids(child.pid, file);
  } catch (error) {
    // What cannot be found again must not run.
    ignoring(() => process.kill(-child.pid, 'SIGKILL'));
    letGo(child);
    return notStarted(error);
  }
  tell('running');
  const log = outputLog(file, spec.limits.outputBytes);
  const flush = interleave(child.stdout, child.stderr, log.write);
  const { code, signal, at } = await gone;
  const mark = '\0' + spec.marker.name + '=' + spec.marker.value + '\0';
  await sweep({ leader: child.pid, ...began, mark });
  await drained(closed, log, at);
  flush();
  letGo(child);
  log.close();
  return { how: signal === null ? { kind: 'code', code } : { kind: 'signal', signal }, at, output: log.size() };
}

function start([program, ...args], cwd, spec, file) {
  const input = spec.stdin === undefined ? null : inputOf(spec.stdin, file('stdin.txt'));
  try {
    return spawn(program, args, {
      cwd,
      env: { ...spec.env, [spec.marker.name]: spec.marker.value },
      stdio: [input ?? 'ignore', 'pipe', 'pipe'],
      detached: true,
    });
  } finally {
    if (input !== null) fs.closeSync(input);
  }
}

/** A file without a name, so that the program reads it at its own pace and nobody finds it. */
function inputOf(text, name) {
  const writer = fs.openSync(name, 'w', 0o600);
  const reader = fs.openSync(name, 'r');
  fs.rmSync(name);
  fs.writeFileSync(writer, text);
  fs.closeSync(writer);
  return reader;
}

/** A stray that still holds the pipes writes to nobody from now on. */
function letGo(child) {
  for (const stream of [child.stdout, child.stderr]) stream.destroy();
}

function recordPids(program, file) {
  const start = startOf(program);
  const record = { wrapper: myself(), program: { pid: program, start }, startedAt: Date.now() };
  fs.writeFileSync(file('pid.tmp'), JSON.stringify(record));
  fs.renameSync(file('pid.tmp'), file('pid.json'));
  return { since: Number(/:(\d+)$/.exec(start)?.[1] ?? 0), forks: forksSoFar() };
}

function notStarted({ code, message }) {
  const how = { kind: 'not-started', code: code || 'UNKNOWN', message: message.slice(0, LONGEST_MESSAGE) };
  return { how, at: Date.now(), output: { bytes: 0, dropped: 0 } };
}

function recordEnd(file, end) {
  const fd = fs.openSync(file('exit.tmp'), 'r+');
  fs.writeSync(fd, JSON.stringify(end).padEnd(RESERVED), 0);
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  fs.renameSync(file('exit.tmp'), file('exit.json'));
}

/** Finds the program first, because a limiting prefix would turn "not found" into an exit code. */
function resolveProgram({ argv: [name, ...rest], env, limits }, cwd) {
  if (!isDirectory(cwd)) return { error: 'no such directory: ' + cwd };
  const found = name.includes('/')
    ? [path.resolve(cwd, name)]
    : (env.PATH || '/usr/bin:/bin').split(':').map((part) => path.resolve(cwd, part, name));
  const program = found.find(isExecutable);
  if (program === undefined) return { error: 'no such program: ' + name };
  return { argv: [...limiting(limits), program, ...rest] };
}

/** Commands that bind what runs behind them from its first moment, where the system has them. */
function limiting({ fileBytes, processes, nice }) {
  const limits = [];
  if (fileBytes) limits.push('--fsize=' + fileBytes);
  if (processes) limits.push('--nproc=' + processes);
  const prlimit = limits.length > 0 && ['/usr/bin/prlimit', '/bin/prlimit'].find(isExecutable);
  const nicer = nice && ['/usr/bin/nice', '/bin/nice'].find(isExecutable);
  return [
    ...(nicer ? [nicer, '-n', String(nice)] : []),
    ...(prlimit ? [prlimit, ...limits] : []),
  ];
}

function isExecutable(at) {
  try {
    fs.accessSync(at, fs.constants.X_OK);
    return fs.statSync(at).isFile();
  } catch {
    return false;
  }
}

function isDirectory(at) {
  try {
    return fs.statSync(at).isDirectory();
  } catch {
    return false;
  }
}

// Whoever started us may be gone by now.
function tell(word) {
  ignoring(() => fs.writeSync(1, word + '\n'));
}

function ignoring(act) {
  try {
    act();
  } catch {}
}
`;

export const WRAPPER_SOURCE = `${MAIN_SOURCE}${OUTPUT_SOURCE}${FAMILY_SOURCE}`;
