import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chown, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { findProgram } from '../find-program.ts';
import { freePort } from '../sockets.ts';
import { launch } from '../step.ts';
import type { StoreOutcome, StoreRequest } from './store.ts';

const READY_MS = 15_000;
const USER = 'convoy';
/** Starts a Postgres of its own on the loopback, with a password that nobody else knows. */
export async function startPostgres(request: StoreRequest): Promise<StoreOutcome> {
  const bin = await findBinaries(request.outsidePath);
  if (bin === null) return { kind: 'missing', note: 'no Postgres server is installed here' };
  const account = await serverAccount(request.outsidePath);
  if (account === null)
    return { kind: 'missing', note: 'Postgres refuses to run as root and there is no other user' };
  const place = join(request.scratch.stores, 'postgres');
  const password = randomBytes(18).toString('hex');
  const env = {
    PATH: request.outsidePath,
    LC_ALL: 'C',
  };
  try {
    await prepare(place, password, account);
    const data = join(place, 'data');
    const flags = ['-U', USER, '-A', 'scram-sha-256', '-E', 'UTF8', '--no-sync', '-D', data];
    const init = [join(bin, 'initdb'), '--pwfile', join(place, 'password'), ...flags];
    const [program = '', ...rest] = [...account.as, ...init];
    await promisify(execFile)(program, rest, { env, cwd: place, timeout: 60_000 });
    return await serve(request, { bin, place, data, env, as: account.as, password });
  } catch (error) {
    return { kind: 'broken', note: `Postgres did not start: ${words(error)}` };
  }
}

type Server = {
  readonly bin: string;
  readonly place: string;
  readonly data: string;
  readonly env: Readonly<Record<string, string>>;
  readonly as: readonly string[];
  readonly password: string;
};

async function serve(request: StoreRequest, server: Server): Promise<StoreOutcome> {
  const port = await freePort();
  // A socket's path may not be longer than about a hundred bytes.
  const socket = server.place.length < 80 ? server.place : '';
  const settings = [
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${socket}`,
    'dynamic_shared_memory_type=mmap',
    // The database lives for a minute: durability would only cost time.
    'fsync=off',
    'full_page_writes=off',
    'synchronous_commit=off',
  ].flatMap((setting) => ['-c', setting]);
  const program = join(server.bin, 'postgres');
  const started = launch({
    argv: [...server.as, program, '-D', server.data, '-p', String(port), ...settings],
    cwd: server.place,
    env: server.env,
    log: request.log,
    family: request.scratch.family,
  });
  const deadline = performance.now() + READY_MS;
  while (performance.now() < deadline && started.outcome() === null && !request.signal.aborted) {
    const state = await readFile(join(server.data, 'postmaster.pid'), 'utf8').catch(() => '');
    if (/^ready\s*$/m.test(state)) return { kind: 'started', variables: address(port, server) };
    await pause(15);
  }
  return { kind: 'broken', note: `Postgres did not become ready: ${request.log.tail()}` };
}

function address(port: number, { password }: Server): Record<string, string> {
  const url = `postgres://${USER}:${password}@127.0.0.1:${port}/postgres`;
  return {
    DATABASE_URL: url,
    POSTGRES_URL: url,
    PGHOST: '127.0.0.1',
    PGPORT: String(port),
    PGUSER: USER,
    PGPASSWORD: password,
    PGDATABASE: 'postgres',
  };
}

async function findBinaries(path: string): Promise<string | null> {
  const home = '/usr/lib/postgresql';
  const versions = (await readdir(home).catch(() => []))
    .filter((name) => /^\d+$/.test(name))
    .toSorted((a, b) => Number(b) - Number(a));
  const places = [...versions.map((version) => join(home, version, 'bin')), ...path.split(':')];
  for (const place of places) {
    const both = await Promise.all([findProgram('initdb', place), findProgram('postgres', place)]);
    if (both.every((file) => file !== null)) return place;
  }
  return null;
}

type Account = {
  /** What runs a command as this user; empty for ourselves. */
  readonly as: readonly string[];
  readonly uid: number | null;
  readonly gid: number | null;
};

async function serverAccount(path: string): Promise<Account | null> {
  if (process.getuid?.() !== 0) return { as: [], uid: null, gid: null };
  const setpriv = await findProgram('setpriv', path);
  const users = (await readFile('/etc/passwd', 'utf8').catch(() => '')).split('\n');
  for (const name of ['postgres', 'nobody']) {
    const fields = users.find((line) => line.startsWith(`${name}:`))?.split(':');
    if (fields === undefined || setpriv === null) continue;
    const [uid, gid] = [Number(fields[2]), Number(fields[3])];
    const as = [setpriv, `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups', '--'];
    return { as, uid, gid };
  }
  return null;
}

async function prepare(place: string, password: string, account: Account): Promise<void> {
  await mkdir(place, { mode: 0o700 });
  const secret = join(place, 'password');
  await writeFile(secret, password, { mode: 0o600 });
  if (account.uid === null || account.gid === null) return;
  await chown(secret, account.uid, account.gid);
  await chown(place, account.uid, account.gid);
}

const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));
