/**
 * The program that stands between us and an execution, as text.
 *
 * It outlives the engine, so it must be a file of its own; kept as text it is the same whether we run
 * from sources or from one bundled file, and the adapter writes it next to the executions. Plain
 * CommonJS on Node's own modules, because it should start quickly and need nothing beside it. A shell
 * would start sooner but cannot keep the end of an endless output within a fixed space.
 *
 * In: `node <this> [<run directory>]` with `{dir, argv, cwd, env, stdin?, limits, marker}` as JSON on its
 * standard input; the environment travels only there and never touches the disk. Half a message, from
 * an engine that died meanwhile, starts nothing.
 * Out: a line on standard output once the outcome of the start is recorded, then files:
 *   claim.json  who runs this execution; made by link(2), so exactly one wrapper (or stopper) wins
 *   pid.json    wrapper and program, each with the time it started
 *   out.log     the first half of the output, then tail.<n>.log, of which the last two are kept
 *   exit.json   how it ended; its space is reserved at the start, so that a full disk cannot lose it
 */
export const WRAPPER_SOURCE = String.raw`'use strict';
const fs = require('node:fs');
const path = require('node:path');
const { spawn, execFileSync } = require('node:child_process');

// The end of the group must not be the end of its witness.
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {});

// Begun ahead of time it is told later where and what to run, and says when it is ready to hear it.
if (process.argv[2] === undefined) tell('ready');
const spec = readSpec();
const dir = process.argv[2] ?? spec.dir;
const file = (name) => path.join(dir, name);
process.on('uncaughtException', (error) => {
  ignoring(() => fs.appendFileSync(file('wrapper.log'), error.stack + '\n', { mode: 0o600 }));
  process.exit(1);
});
process.chdir(dir);
const HEAD = Math.floor(spec.limits.outputBytes / 2);
const SEGMENT = Math.max(1, Math.floor(spec.limits.outputBytes / 4));
const HELD_MS = 200;
const DRAIN_MS = 300;
const SWEEP_MS = 500;
const RESERVED = 4096;
const LONGEST_MESSAGE = 500;
let since = 0;

claim();
fs.writeFileSync(file('exit.tmp'), ' '.repeat(RESERVED));
run();

function readSpec() {
  try {
    return JSON.parse(fs.readFileSync(0, 'utf8'));
  } catch {
    process.exit(1);
  }
}

function claim() {
  const mine = file('claim.' + process.pid + '.tmp');
  fs.writeFileSync(mine, JSON.stringify({ by: 'wrapper', pid: process.pid, start: startOf(process.pid) }));
  const isMine = takePlace(mine);
  fs.rmSync(mine, { force: true });
  if (isMine) return;
  tell('taken');
  process.exit(0);
}

/** By a link, which is there whole or not at all; by an exclusive copy where there are no links. */
function takePlace(mine) {
  try {
    fs.linkSync(mine, file('claim.json'));
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
  }
  try {
    fs.copyFileSync(mine, file('claim.json'), fs.constants.COPYFILE_EXCL);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  }
}

function run() {
  const program = resolveProgram();
  if (program.error) return notStarted('ENOENT', program.error);
  let stdin = 'ignore';
  if (spec.stdin !== undefined) {
    fs.writeFileSync(file('stdin.txt'), spec.stdin, { mode: 0o600 });
    stdin = fs.openSync(file('stdin.txt'), 'r');
    fs.rmSync(file('stdin.txt'));
  }
  let child;
  try {
    child = spawn(program.argv[0], program.argv.slice(1), {
      cwd: spec.cwd,
      env: { ...spec.env, [spec.marker.name]: spec.marker.value },
      stdio: [stdin, 'pipe', 'pipe'],
      detached: true,
    });
  } catch (error) {
    return notStarted(error.code || 'UNKNOWN', error.message);
  }
  child.on('error', (error) => notStarted(error.code || 'UNKNOWN', error.message));
  if (child.pid === undefined) return;
  try {
    recordPids(child.pid);
  } catch (error) {
    // What cannot be found again must not run.
    ignoring(() => process.kill(-child.pid, 'SIGKILL'));
    return notStarted(error.code || 'UNKNOWN', error.message);
  }
  tell('running');
  const log = outputLog();
  const flush = interleave(child.stdout, child.stderr, log.write);
  const closed = new Promise((resolve) => child.on('close', resolve));
  child.on('exit', async (code, signal) => {
    const at = Date.now();
    await sweep(child.pid);
    // Output still in the pipe is read; a stray that keeps the pipe open is not waited for.
    const isQuiet = () => Date.now() - Math.max(at, log.lastWrite()) > DRAIN_MS;
    await Promise.race([closed, until(isQuiet, DRAIN_MS * 5)]);
    flush();
    end(signal === null ? { kind: 'code', code } : { kind: 'signal', signal }, at, log.size());
  });
}

function recordPids(program) {
  since = processRow(program)[0]?.start ?? 0;
  fs.writeFileSync(file('pid.tmp'), JSON.stringify({
    wrapper: { pid: process.pid, start: startOf(process.pid) },
    program: { pid: program, start: startOf(program) },
    startedAt: Date.now(),
  }));
  fs.renameSync(file('pid.tmp'), file('pid.json'));
}

function notStarted(code, message) {
  end({ kind: 'not-started', code, message: message.slice(0, LONGEST_MESSAGE) }, Date.now(), { bytes: 0, dropped: 0 });
}

function end(how, at, output) {
  const text = JSON.stringify({ how, at, output });
  const fd = fs.openSync(file('exit.tmp'), 'r+');
  fs.writeSync(fd, text.padEnd(RESERVED), 0);
  fs.fsyncSync(fd);
  fs.closeSync(fd);
  fs.renameSync(file('exit.tmp'), file('exit.json'));
  tell('ended');
  process.exit(0);
}

/** Finds the program first, because a limiting prefix would turn "not found" into an exit code. */
function resolveProgram() {
  const [name, ...rest] = spec.argv;
  if (!isDirectory(spec.cwd)) return { error: 'no such directory: ' + spec.cwd };
  const found = name.includes('/')
    ? [path.resolve(spec.cwd, name)]
    : (spec.env.PATH || '/usr/bin:/bin').split(':').map((part) => path.resolve(spec.cwd, part, name));
  const program = found.find(isExecutable);
  if (program === undefined) return { error: 'no such program: ' + name };
  return { argv: [...limiting(), program, ...rest] };
}

/** Commands that bind what runs behind them from its first moment, where the system has them. */
function limiting() {
  const { fileBytes, processes, nice } = spec.limits;
  const limits = [];
  if (fileBytes) limits.push('--fsize=' + fileBytes);
  if (processes) limits.push('--nproc=' + processes);
  const prlimit = ['/usr/bin/prlimit', '/bin/prlimit'].find(isExecutable);
  const nicer = ['/usr/bin/nice', '/bin/nice'].find(isExecutable);
  return [
    ...(nice && nicer ? [nicer, '-n', String(nice)] : []),
    ...(limits.length > 0 && prlimit ? [prlimit, ...limits] : []),
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

/** Both streams in one log, switching between them at line ends, so that a line stays a line. */
function interleave(out, err, write) {
  let open = null;
  const held = new Map();
  const other = (stream) => (stream === out ? err : out);
  const take = (stream, chunk) => {
    if (open !== null && open !== stream) return hold(stream, chunk);
    const cut = held.has(other(stream)) ? chunk.lastIndexOf(10) + 1 : 0;
    if (cut === 0 || cut === chunk.length) put(stream, chunk);
    else {
      put(stream, chunk.subarray(0, cut));
      take(stream, chunk.subarray(cut));
    }
  };
  const put = (stream, chunk) => {
    write(chunk);
    open = chunk[chunk.length - 1] === 10 ? null : stream;
    if (open === null) release(other(stream));
  };
  const hold = (stream, chunk) => {
    const before = held.get(stream);
    stream.pause();
    if (before) before.chunks.push(chunk);
    else held.set(stream, { chunks: [chunk], timer: setTimeout(() => ((open = null), release(stream)), HELD_MS) });
  };
  const release = (stream) => {
    const waiting = held.get(stream);
    if (!waiting) return;
    clearTimeout(waiting.timer);
    held.delete(stream);
    for (const chunk of waiting.chunks) put(stream, chunk);
    stream.resume();
  };
  for (const stream of [out, err]) {
    stream.on('data', (chunk) => take(stream, chunk));
    stream.on('error', () => {});
    stream.on('end', () => {
      if (open === stream) (open = null), release(other(stream));
    });
  }
  return () => [out, err].forEach(release);
}

/** Head and tail in fixed space. A disk that takes no more costs output, never the program. */
function outputLog() {
  let bytes = 0;
  let unwritten = 0;
  let segment = -1;
  let begin = 0;
  let last = Date.now();
  let fd = fs.openSync(file('out.log'), 'w', 0o600);
  const finish = () => (segment < 0 ? HEAD : HEAD + (segment + 1) * SEGMENT);
  const turn = () => {
    begin = finish();
    segment += 1;
    ignoring(() => fs.closeSync(fd));
    fd = -1;
    ignoring(() => (fd = fs.openSync(file('tail.' + segment + '.log'), 'w', 0o600)));
    fs.rmSync(file('tail.' + (segment - 2) + '.log'), { force: true });
  };
  const put = (part) => {
    let done = 0;
    ignoring(() => {
      while (done < part.length)
        done += fs.writeSync(fd, part, done, part.length - done, bytes - begin + done);
    });
    unwritten += part.length - done;
    bytes += part.length;
  };
  const write = (chunk) => {
    last = Date.now();
    for (let at = 0; at < chunk.length; ) {
      if (bytes === finish()) turn();
      const part = chunk.subarray(at, at + finish() - bytes);
      put(part);
      at += part.length;
    }
  };
  const size = () => ({
    bytes,
    dropped: Math.min(bytes, Math.max(0, segment - 1) * SEGMENT + unwritten),
  });
  return { write, size, lastWrite: () => last };
}

/** Ends what the program left behind: its session, strays that carry the marker, and their children. */
async function sweep(leader) {
  const left = () => family(leader, '\0' + spec.marker.name + '=' + spec.marker.value + '\0');
  const send = (signal) => {
    for (const pid of left()) ignoring(() => process.kill(pid, signal));
  };
  if (processes().length > 0 && left().length === 0) return;
  send('SIGTERM');
  const gone = await until(() => left().length === 0, SWEEP_MS);
  for (let round = 0; !gone && round < 20 && left().length > 0; round += 1) {
    send('SIGKILL');
    await until(() => left().length === 0, 50);
  }
  // Where there is no process table to read, the group is all that can be named.
  if (processes().length === 0) ignoring(() => process.kill(-leader, 'SIGKILL'));
}

async function until(holds, ms) {
  for (const limit = Date.now() + ms; Date.now() < limit; ) {
    if (holds()) return true;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  return holds();
}

function processes() {
  try {
    return fs.readdirSync('/proc').filter((name) => /^\d+$/.test(name)).map(Number);
  } catch {
    return [];
  }
}

function family(leader, mark) {
  const table = processes().flatMap(processRow).filter((row) => row.pid !== process.pid);
  // What is older than the program is none of its processes.
  const ours = (row) => row.session === leader || (row.start >= since && isMarked(row.pid, mark));
  const found = new Set(table.filter(ours).map((row) => row.pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const row of table) if (found.has(row.parent)) found.add(row.pid);
  }
  return [...found];
}

function processRow(pid) {
  try {
    const stat = fs.readFileSync('/proc/' + pid + '/stat', 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const [state, parent, , session] = fields;
    return state === 'Z' ? [] : [{ pid, parent: Number(parent), session: Number(session), start: Number(fields[19]) }];
  } catch {
    return [];
  }
}

function isMarked(pid, mark) {
  try {
    return ('\0' + fs.readFileSync('/proc/' + pid + '/environ', 'latin1') + '\0').includes(mark);
  } catch {
    return false;
  }
}

/** A process number is used again; with the boot and the time of its start it is not. */
function startOf(pid) {
  try {
    const stat = fs.readFileSync('/proc/' + pid + '/stat', 'utf8');
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return boot + ':' + stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {}
  try {
    return 'ps:' + execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
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
