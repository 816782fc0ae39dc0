import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'pg';
import { type Binaries, findBinaries } from './binaries.ts';
import { OWNER_FILE, PREFIX, removeStale, SCRATCH } from './stale.ts';

export type PostgresServer = {
  readonly pid: number;
  /** The address of one of its databases. */
  url(database: string): string;
  stop(): Promise<void>;
};

export type ServerWish = {
  /** Flush to disk on every commit, as a real server does; a test needs no such promise. */
  readonly durable?: boolean;
  readonly find?: (scratch: string) => Binaries | null;
};

const USER = 'convoy';
const FAST = ['-F', '-c', 'full_page_writes=off', '-c', 'synchronous_commit=off'];

/** Starts a Postgres of our own on loopback; null when this machine has none to start. */
export async function startPostgres(wish: ServerWish = {}): Promise<PostgresServer | null> {
  await removeStale();
  // Short: the path of a socket may not be longer than about a hundred characters.
  const scratch = mkdtempSync(join(SCRATCH, PREFIX));
  writeFileSync(join(scratch, OWNER_FILE), String(process.pid));
  const binaries = (wish.find ?? findBinaries)(scratch);
  if (binaries === null) {
    rmSync(scratch, { recursive: true });
    return null;
  }
  const data = join(scratch, 'data');
  mkdirSync(data, { mode: 0o700 });
  chmodSync(scratch, 0o755);
  const account = serverAccount();
  if (account !== null) chownSync(data, account.uid, account.gid);
  initialise(binaries, data);
  const port = await freePort();
  const options = `-p ${port} -c listen_addresses=127.0.0.1 -c unix_socket_directories= -c max_connections=800`;
  const child = launch(binaries, data, [
    ...options.split(' '),
    ...(wish.durable === true ? [] : FAST),
  ]);
  const url = (database: string): string => `postgres://${USER}@127.0.0.1:${port}/${database}`;
  const server: PostgresServer = {
    pid: child.pid ?? 0,
    url,
    stop: async () => {
      await ended(child);
      rmSync(scratch, { recursive: true, force: true });
    },
  };
  try {
    await answering(child, url('postgres'));
    return server;
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** The account to run under: the server refuses to be root. Null when we are not root. */
function serverAccount(): { uid: number; gid: number } | null {
  if (process.getuid?.() !== 0) return null;
  for (const name of ['postgres', 'nobody']) {
    const [uid, gid] = ['-u', '-g'].map((flag) =>
      Number.parseInt(spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout, 10),
    );
    if (uid !== undefined && gid !== undefined && uid > 0) return { uid, gid };
  }
  throw new Error('A Postgres server may not run as root, and there is no other account');
}

function initialise({ bin, env }: Binaries, data: string): void {
  // Sorts like a dictionary, as many servers do: the ledger must not depend on it.
  const language = '--no-locale --locale-provider=icu --icu-locale=en';
  const options = `-A trust -U ${USER} -E UTF8 -N ${language}`.split(' ');
  const [command = '', ...args] = asServer([join(bin, 'initdb'), '-D', data, ...options]);
  const { status, stderr, error } = spawnSync(command, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    cwd: data,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`initdb failed: ${stderr} ${error?.message ?? ''}`);
}

function launch({ bin, env }: Binaries, data: string, options: readonly string[]): ChildProcess {
  const [command = '', ...args] = asServer([join(bin, 'postgres'), '-D', data, ...options]);
  return spawn(command, args, {
    env: { PATH: process.env['PATH'] ?? '', ...env },
    cwd: data,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Under the server's account, and ended by the kernel when we die without a word. */
function asServer(command: readonly string[]): string[] {
  const account = serverAccount();
  const drop =
    account === null ? [] : [`--reuid=${account.uid}`, `--regid=${account.gid}`, '--clear-groups'];
  const setpriv = ['/usr/bin/setpriv', '/bin/setpriv'].find((file) => existsSync(file));
  if (setpriv !== undefined) return [setpriv, ...drop, '--pdeathsig=QUIT', '--', ...command];
  if (account !== null) throw new Error('setpriv is needed to start a Postgres server as root');
  return [...command];
}

const PATIENCE_MS = 20_000;

async function answering(child: ChildProcess, url: string): Promise<void> {
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = (said + chunk.toString()).slice(-4000);
  });
  const start = performance.now();
  for (;;) {
    const client = new Client({ connectionString: url });
    try {
      await client.connect();
      return await client.end();
    } catch (error) {
      if (child.exitCode !== null || performance.now() - start > PATIENCE_MS)
        throw new Error(`Postgres did not start: ${said}`, { cause: error });
      await pause(20);
    }
  }
}

/** SIGINT is its fast shutdown: clients are cut off, data is kept. */
async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGINT');
  await gone;
}

async function freePort(): Promise<number> {
  const probe = createServer();
  await new Promise<void>((resolve) => probe.listen(0, '127.0.0.1', resolve));
  const address = probe.address();
  await new Promise((resolve) => probe.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('No port');
  return address.port;
}
