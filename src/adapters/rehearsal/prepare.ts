import { existsSync } from 'node:fs';
import { mkdir, realpath, rm, writeFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { installPlaces } from '../../domain/ship/rehearsal/install-places.ts';
import { missingToolchains } from '../../domain/ship/rehearsal/toolchain.ts';
import type { Verdict } from '../../domain/ship/rehearsal/verdict.ts';
import { startStores } from './datastores/start-stores.ts';
import { carryPackageSettings } from './package-settings.ts';
import { command, isInstalled, laneDirectory, note, openLog, record } from './run.ts';
import type { Run } from './run.ts';
import { copyWorkingTree } from './working-copy.ts';

/** Everything before the start; a verdict as soon as there is nothing more to try. */
export async function prepare(run: Run): Promise<Verdict | null> {
  for (const stage of [checkToolchains, copy, install, build, stores, migrate]) {
    if (run.signal.aborted) return { status: 'stopped', step: 'copy' };
    const verdict = await stage(run);
    if (verdict !== null) return verdict;
  }
  return null;
}

const buildLine = ({ request: { lane } }: Run): string | null => lane.buildVia ?? lane.build;

async function checkToolchains(run: Run): Promise<Verdict | null> {
  const { lane } = run.request;
  const commands = [lane.install, buildLine(run), lane.startVia ?? lane.start];
  const missing = missingToolchains(commands, (program) => isInstalled(run, program));
  return missing.length === 0 ? null : { status: 'missing-toolchain', missing };
}

async function copy(run: Run): Promise<Verdict | null> {
  const from = performance.now();
  run.on({ kind: 'step-started', step: 'copy', command: null });
  try {
    const copied = await copyWorkingTree(run.request.root, run.scratch.tree, run.signal);
    for (const text of copied.notes) note(run, text);
    await overlay(run);
    await carryPackageSettings(run.scratch.home);
  } catch (error) {
    if (run.signal.aborted) return { status: 'stopped', step: 'copy' };
    return { status: 'errored', step: 'copy', why: words(error) };
  }
  record(run, {
    step: 'copy',
    command: null,
    directory: '.',
    ms: performance.now() - from,
    exit: null,
    outcome: 'done',
  });
  return (await isInside(laneDirectory(run), run.scratch.tree))
    ? null
    : {
        status: 'errored',
        step: 'copy',
        why: `the copy has no directory ${run.request.lane.path} of its own: is it ignored by git, or a link out of the tree?`,
      };
}

/** Puts what Convoy would write into the copy, never through a link out of it. */
async function overlay(run: Run): Promise<void> {
  for (const { path, content } of run.request.overlay ?? []) {
    const file = join(run.scratch.tree, path);
    await mkdir(dirname(file), { recursive: true });
    if (!(await isInside(dirname(file), run.scratch.tree)))
      throw new Error(`${path} leads out of the copy`);
    await rm(file, { force: true });
    await writeFile(file, content);
  }
}

async function install(run: Run): Promise<Verdict | null> {
  const { lane } = run.request;
  if (lane.install === null) return null;
  const has = (file: string): boolean => existsSync(join(run.scratch.tree, file));
  for (const place of installPlaces(lane.path, lane.ecosystem, has)) {
    const verdict = await command(run, 'install', lane.install, place);
    if (verdict !== null) return verdict;
  }
  return null;
}

async function build(run: Run): Promise<Verdict | null> {
  const line = buildLine(run);
  return line === null ? null : command(run, 'build', line, run.request.lane.path);
}

async function stores(run: Run): Promise<Verdict | null> {
  const { lane, env } = run.request;
  if (lane.datastores.length === 0) return null;
  const from = performance.now();
  run.on({ kind: 'step-started', step: 'datastores', command: null });
  const outcome = await startStores(lane.datastores, env, {
    scratch: run.scratch,
    outsidePath: run.outsidePath,
    log: openLog(run, 'datastores'),
    signal: run.signal,
  });
  run.stores = outcome.reports;
  run.variables = outcome.variables;
  for (const store of outcome.reports)
    if (store.state === 'missing') note(run, `${store.name}: ${store.note}`);
  const isDone = outcome.broken === null;
  record(run, {
    step: 'datastores',
    command: null,
    directory: '.',
    ms: performance.now() - from,
    exit: null,
    outcome: isDone ? 'done' : 'failed',
  });
  if (run.signal.aborted) return { status: 'stopped', step: 'datastores' };
  return isDone ? null : { status: 'errored', step: 'datastores', why: outcome.broken ?? '' };
}

async function migrate(run: Run): Promise<Verdict | null> {
  const { lane } = run.request;
  if (lane.migrate == null) return null;
  const held = whyNotMigrated(run, lane.migrate);
  if (held !== null) {
    note(run, `the migrations (\`${lane.migrate}\`) were not tried: ${held}`);
    return null;
  }
  const verdict = await command(run, 'migrate', lane.migrate, lane.path);
  run.found = { ...run.found, migrations: verdict === null ? 'applied' : 'failed' };
  return verdict;
}

/** Only a database that is gone afterwards may be changed. */
function whyNotMigrated(run: Run, line: string): string | null {
  const [given] = run.stores.filter(({ state }) => state === 'given');
  if (given !== undefined) return `${given.note}, and a database that was given is not touched`;
  const [missing] = run.stores.filter(({ state }) => state === 'missing');
  if (missing !== undefined) return `there is no throw-away ${missing.name}`;
  const [tool] = missingToolchains([line], (program) => isInstalled(run, program));
  return tool === undefined ? null : `this machine lacks ${tool}`;
}

async function isInside(path: string, tree: string): Promise<boolean> {
  const real = await realpath(path).catch(() => '');
  return real === tree || real.startsWith(tree + sep);
}

const words = (error: unknown): string => (error instanceof Error ? error.message : String(error));
