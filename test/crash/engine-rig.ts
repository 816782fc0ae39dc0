import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { verifyLedger } from '../../src/ledger/verify.ts';
import { EXECUTION_MARKER } from '../../src/ports/executor.ts';
import type { EngineRig } from '../engine/rig.ts';

const place = { folder: '', file: '' };

/** Bundles the daemon once per test file: it starts often. */
export function bundledDaemon(): void {
  beforeAll(async () => {
    place.folder = mkdtempSync(join(tmpdir(), 'convoy-daemon-'));
    place.file = join(place.folder, 'dist', 'chunks', 'daemon.mjs');
    await build({
      entryPoints: [join(import.meta.dirname, 'engine-process.ts')],
      outfile: place.file,
      bundle: true,
      platform: 'node',
      format: 'esm',
      external: ['pg-native'],
      logLevel: 'error',
      banner: {
        js: "import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);",
      },
    });
  });
  afterAll(() => rmSync(place.folder, { recursive: true, force: true }));
}

/** A daemon in a process of its own; `CONVOY_CRASH_AT` is where it shall die. */
export function startEngineProcess(rig: EngineRig, crashAt?: string): ChildProcess {
  const env = { ...rig.env, ...(crashAt === undefined ? {} : { CONVOY_CRASH_AT: crashAt }) };
  const child = spawn(process.execPath, ['--no-warnings', place.file, rig.root], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

/** How the process ended: a signal's name or an exit code. */
export async function endOf(child: ChildProcess): Promise<string | number | null> {
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  return child.signalCode ?? child.exitCode;
}

/** Asks it to stop in good order. */
export async function stopEngineProcess(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM');
  expect(await endOf(child)).toBe(0);
}

/** What must hold after any crash, once the convoy has landed and the engine has stopped. */
export async function expectNothingLeft(rig: EngineRig): Promise<void> {
  const { ledger, repositories } = rig.services;
  const repository = await repositories.open(rig.path('main'));
  if (!repository.ok) throw new Error(repository.error.kind);
  const worktrees = await repository.value.worktrees.list();
  expect(worktrees.ok && worktrees.value.map(({ owner }) => owner)).toEqual([]);
  expect(executionsUnder(rig.root)).toEqual([]);
  expect((await verifyLedger(ledger.db)).problems).toEqual([]);
  const open = await ledger.db.selectFrom('queue').select('state').execute();
  for (const { state } of open) expect(JSON.parse(state)).toMatchObject({ landing: null });
}

/** Processes of executions whose home is in this workspace. */
export function executionsUnder(root: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const environment = readFileSync(`/proc/${pid}/environ`, 'utf8');
      const isZombie = stat.slice(stat.lastIndexOf(')') + 2).startsWith('Z');
      return (
        !isZombie && environment.includes(`${EXECUTION_MARKER}=`) && environment.includes(root)
      );
    } catch {
      return false;
    }
  });
}

/** Each task: one change that merged, and one merge of it in the target's history. */
export async function expectMergedOnce(rig: EngineRig, tasks: readonly string[]): Promise<void> {
  const subjects = rig.git('log', '--format=%s', 'main').split('\n');
  for (const task of tasks) {
    const changes = await rig.changes(task);
    expect(changes.filter(({ status }) => status === 'merged')).toHaveLength(1);
    expect(subjects.filter((subject) => subject.startsWith(`Merge ${task}:`))).toHaveLength(1);
    expect(rig.git('show', `main:work/${task}.txt`)).not.toBe('');
  }
}
