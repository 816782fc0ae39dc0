import { existsSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { startLine } from '../../domain/ship/rehearsal/start-line.ts';
import type { Verdict } from '../../domain/ship/rehearsal/verdict.ts';
import { encloseNetwork, SHARED_NETWORK } from './enclosure.ts';
import type { Network } from './enclosure.ts';
import type { Family } from './family.ts';
import type { LogCapture } from './log-capture.ts';
import { environmentFor, laneDirectory, note, openFamily, openLog } from './run.ts';
import type { Run } from './run.ts';
import { STATIC_SERVER_SOURCE } from './static-server-source.ts';
import { launch } from './step.ts';
import type { Started } from './step.ts';

/** The lane's own process, started the way production starts it. */
export type Running = {
  readonly started: Started;
  readonly family: Family;
  readonly log: LogCapture;
  readonly from: number;
  readonly command: string;
  readonly network: Network;
};

/** Starts the lane, or says that there is nothing to start. */
export async function startLane(run: Run, port: number | null): Promise<Running | Verdict> {
  const what = whatToStart(run, port);
  if (what === null)
    return { status: 'no-evidence', why: 'the lane has nothing to start, so nothing was proved' };
  const network =
    run.request.trust.network === 'blocked' ? await encloseNetwork(run) : SHARED_NETWORK;
  if (typeof network === 'string') return { status: 'errored', step: 'start', why: network };
  run.closers.push(network.close);
  if (network !== SHARED_NETWORK)
    note(run, 'the service was cut off from every network but its own and its data stores');
  run.on({ kind: 'step-started', step: 'start', command: what.command });
  const log = openLog(run, 'start');
  const family = openFamily(run);
  const from = performance.now();
  const started = launch({
    argv: [...network.enter, ...run.sandbox.wrapService(what.argv, run.scratch, run.request.root)],
    cwd: laneDirectory(run),
    env: environmentFor(run, 'start', port, what.env),
    log,
    family,
  });
  return { started, family, log, from, command: what.command, network };
}

const OUTPUTS = ['dist', 'build', 'out', 'public', '_site', '.output/public', '.'];

type What = {
  readonly argv: string[];
  readonly command: string;
  readonly env: Readonly<Record<string, string>>;
};

function whatToStart(run: Run, port: number | null): What | null {
  const { lane } = run.request;
  const own = startLine(lane, port);
  if (own !== null) return { argv: ['sh', '-c', own.line], command: own.line, env: own.env };
  if (lane.kind !== 'frontend' && lane.ecosystem !== 'static') return null;
  const places = lane.output == null ? OUTPUTS : [lane.output, ...OUTPUTS];
  const output = places.find((place) => isServable(join(laneDirectory(run), place), run));
  if (output === undefined) return null;
  note(run, `the lane starts nothing itself: its files in ${output} are served as they are`);
  const directory = join(laneDirectory(run), output);
  return {
    argv: [process.execPath, '-e', STATIC_SERVER_SOURCE, directory],
    command: `(static files of ${output})`,
    env: {},
  };
}

/** A directory of the copy with a front page; a link out of the copy is none. */
function isServable(directory: string, run: Run): boolean {
  return (
    existsSync(join(directory, 'index.html')) &&
    realpathSync(directory).startsWith(run.scratch.tree)
  );
}
