import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import { upwards } from '../../domain/ship/rehearsal/install-places.ts';
import {
  searchPath,
  secretValues,
  stepEnvironment,
} from '../../domain/ship/rehearsal/step-environment.ts';
import type { RehearsalStep, Verdict } from '../../domain/ship/rehearsal/verdict.ts';
import type {
  DatastoreReport,
  RehearsalEvent,
  RehearsalReport,
  RehearsalRequest,
  RehearsalTimeouts,
  StepReport,
} from '../../ports/rehearsal.ts';
import type { Family } from './family.ts';
import type { Sandbox } from './isolation.ts';
import { captureLog } from './log-capture.ts';
import type { LogCapture } from './log-capture.ts';
import type { Scratch } from './scratch.ts';
import { runToEnd } from './step.ts';
import type { StepEnd } from './step.ts';

/** One rehearsal under way: what is fixed, and the notebook that becomes the report. */
export type Run = {
  readonly request: RehearsalRequest;
  readonly timeouts: RehearsalTimeouts;
  readonly on: (event: RehearsalEvent) => void;
  readonly signal: AbortSignal;
  readonly scratch: Scratch;
  readonly sandbox: Sandbox;
  /** The PATH of this program. */
  readonly outsidePath: string;
  /** Of every step so far; each remembers whom it has seen. */
  readonly families: Family[];
  /** Called when everything has ended. */
  readonly closers: (() => void)[];
  readonly steps: StepReport[];
  readonly notes: string[];
  stores: readonly DatastoreReport[];
  /** Addresses of the throw-away data stores. */
  variables: Readonly<Record<string, string>>;
  /** The output that explains the verdict best. */
  log: LogCapture | null;
  found: Found;
};

/** What the service showed; empty until it ran. */
export type Found = Pick<
  RehearsalReport,
  'readiness' | 'healthPath' | 'probes' | 'load' | 'app' | 'usage' | 'migrations'
>;

export const NOTHING_FOUND: Found = {
  readiness: null,
  healthPath: null,
  probes: [],
  load: null,
  app: null,
  usage: null,
  migrations: 'none',
};

export function note(run: Run, text: string): void {
  run.notes.push(text);
  run.on({ kind: 'note', text });
}

/** The lane's own directory in the copy. */
export const laneDirectory = (run: Run): string => join(run.scratch.tree, run.request.lane.path);

export function environmentFor(
  run: Run,
  phase: 'install' | 'build' | 'start',
  port: number | null,
  told: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const own = upwards(run.request.lane.path).flatMap((place) => [
    join(run.scratch.tree, place, 'node_modules/.bin'),
    join(run.scratch.tree, place, '.venv/bin'),
  ]);
  const started = phase === 'start' ? run.request.lane.startEnv : {};
  const homes = ['.local/bin', '.gem/bin'].map((name) => join(run.scratch.home, name));
  return stepEnvironment({
    phase,
    path: searchPath([...own, ...homes], run.outsidePath),
    home: run.scratch.home,
    temp: run.scratch.temp,
    marker: run.scratch.id,
    outside: { ...toolHomes(), ...process.env },
    explicit: { ...run.request.env, ...told },
    injected: { ...run.variables, ...started },
    port,
  });
}

/** Version managers look for their programs below HOME, which is another one in a rehearsal. */
function toolHomes(): Record<string, string> {
  const usual = {
    RUSTUP_HOME: '.rustup',
    PYENV_ROOT: '.pyenv',
    RBENV_ROOT: '.rbenv',
    ASDF_DATA_DIR: '.asdf',
    VOLTA_HOME: '.volta',
  };
  const places = Object.entries(usual).map(([name, place]) => [name, join(homedir(), place)]);
  return Object.fromEntries(places.filter(([, place]) => existsSync(place ?? '')));
}

export function openLog(run: Run, step: RehearsalStep): LogCapture {
  const secrets = [
    ...secretValues(run.request.env),
    ...secretValues(run.variables),
    ...(run.request.secrets ?? []),
  ];
  run.log = captureLog(secrets, (text) => run.on({ kind: 'output', step, text }));
  return run.log;
}

export function openFamily(run: Run): Family {
  const family = run.scratch.newFamily();
  run.families.push(family);
  return family;
}

/** Runs one command of the lane to its end; a verdict when that ends the rehearsal. */
export async function command(
  run: Run,
  step: 'install' | 'build' | 'migrate',
  line: string,
  directory: string,
): Promise<Verdict | null> {
  run.on({ kind: 'step-started', step, command: line });
  const log = openLog(run, step);
  const timeoutMs = { ...run.timeouts }[`${step}Ms`];
  const end = await runToEnd(
    {
      argv: run.sandbox.wrap(['sh', '-c', line], run.scratch, run.request.root),
      cwd: join(run.scratch.tree, directory),
      env: environmentFor(run, step === 'migrate' ? 'start' : step, null),
      log,
      family: openFamily(run),
    },
    timeoutMs,
    run.signal,
  );
  record(run, {
    step,
    command: line,
    directory,
    ms: end.ms,
    exit: end.exit,
    outcome: end.outcome,
  });
  return verdictOf(step, line, end, timeoutMs, log);
}

export function record(run: Run, ended: StepReport): void {
  const report = { ...ended, ms: Math.round(ended.ms) };
  run.steps.push(report);
  run.on({ kind: 'step-ended', step: report.step, report });
}

function verdictOf(
  step: RehearsalStep,
  line: string,
  end: StepEnd,
  timeoutMs: number,
  log: LogCapture,
): Verdict | null {
  if (end.outcome === 'done') return null;
  if (end.outcome === 'stopped') return { status: 'stopped', step };
  const why =
    end.outcome === 'timed-out'
      ? `\`${line}\` did not end within ${Math.round(timeoutMs / 1000)} s`
      : `\`${line}\` ended with ${end.exit === null ? `signal ${end.signal}` : `exit ${end.exit}`}`;
  const { exit, signal } = end;
  return { status: 'failed', step, exit, signal, why, logTail: log.tail() };
}

/** Whether a program could be started by the lane's commands. */
export function isInstalled(run: Run, program: string): boolean {
  return run.outsidePath
    .split(delimiter)
    .some((entry) => entry !== '' && existsSync(join(entry, program)));
}
