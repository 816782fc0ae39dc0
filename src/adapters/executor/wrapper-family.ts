/** The part of the wrapper that knows processes, as text; see wrapper-source.ts. */
export const FAMILY_SOURCE = String.raw`
const SWEEP_MS = 500;

/** Ends what the program left behind: its session, strays that carry the marker, and their children. */
async function sweep(program) {
  const left = () => family(program);
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
  if (processes().length === 0) ignoring(() => process.kill(-program.leader, 'SIGKILL'));
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

function family({ leader, since, forks, mark }) {
  const lowest = hasWrapped(leader, forks) ? 0 : leader;
  const younger = processes().filter((pid) => pid >= lowest && pid !== process.pid);
  const table = younger.flatMap(processRow);
  // What is older than the program is none of its processes.
  const ours = (row) => row.session === leader || (row.start >= since && isMarked(row.pid, mark));
  const found = new Set(table.filter(ours).map((row) => row.pid));
  for (let before = -1; before !== found.size; ) {
    before = found.size;
    for (const row of table) if (found.has(row.parent)) found.add(row.pid);
  }
  return [...found];
}

/**
 * Numbers of processes go up, and begin again at the end. Unless they did since the program began, all that it
 * started have a higher number than its own, and only those few need a look.
 */
function hasWrapped(leader, forks) {
  const now = forksSoFar();
  if (forks === null || now === null) return true;
  try {
    const last = Number(fs.readFileSync('/proc/loadavg', 'utf8').trim().split(' ').at(-1));
    const most = Number(fs.readFileSync('/proc/sys/kernel/pid_max', 'utf8'));
    return !(last >= leader && now - forks < most / 2);
  } catch {
    return true;
  }
}

let ownProc;
/** How many processes and threads were ever started here; null where nobody says. */
function forksSoFar() {
  try {
    // A file of its own there tells of the host of a container.
    ownProc ??= !/ \/proc\/(?:loadavg|stat) /.test(fs.readFileSync('/proc/self/mountinfo', 'utf8'));
    if (!ownProc) return null;
    return Number(/^processes (\d+)$/m.exec(fs.readFileSync('/proc/stat', 'utf8'))[1]);
  } catch {
    return null;
  }
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
    return bootId() + ':' + stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19];
  } catch {}
  try {
    return 'ps:' + execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim();
  } catch {
    return 'unknown';
  }
}

let boot;
function bootId() {
  return (boot ??= fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

let me;
function myself() {
  return (me ??= { pid: process.pid, start: startOf(process.pid) });
}
`;
