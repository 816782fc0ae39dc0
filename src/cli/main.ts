import type { Client } from '../client/client.ts';
import { exitCodeOf, type Problem } from '../contract/problem.ts';
import { resolve } from 'node:path';
import type { ArgsOf, Command, OptionsOf, Outcome, Shape } from './command.ts';
import type { CommandContext } from './context.ts';
import type { Globals } from './globals.ts';
import type { Host } from './host.ts';
import type { Parsed } from './parse.ts';
import { Stop } from './stop.ts';
import { openTerminal, type Terminal } from './terminal.ts';

const INTERRUPTED = 130;

/** Runs one command line and says with which code the process should end. */
export async function main(
  argv: readonly string[],
  host: Host,
  commands?: readonly Command[],
): Promise<number> {
  const terminal = openTerminal(host);
  const table = commands ?? (await import('./table.ts')).COMMANDS;
  const { parse } = await import('./parse.ts');
  const parsed = parse(argv, table);
  const code = await perform(parsed, { host, table, terminal });
  await terminal.flush();
  return terminal.failed() ? 1 : code;
}

type Stage = {
  readonly host: Host;
  readonly table: readonly Command[];
  readonly terminal: Terminal;
};

async function perform(parsed: Parsed, stage: Stage): Promise<number> {
  const { globals } = parsed;
  if (parsed.kind === 'usage') return await finish({ problem: parsed.problem }, globals, stage);
  if (parsed.kind === 'run') return await runInterruptibly(parsed, stage);
  const words = parsed.kind === 'help' ? parsed.path : [];
  const name = parsed.kind === 'help' ? 'help' : 'version';
  const command = stage.table.find(({ path }) => path.join(' ') === name);
  if (command === undefined) throw new Error(`The table has no ${name}`);
  const asked = { kind: 'run', command, args: { words }, options: {}, globals } as const;
  return await runInterruptibly(asked, stage);
}

type Asked = Extract<Parsed, { kind: 'run' }>;

/** Ctrl-C ends a command at once, or at the second time when it has to tidy up first. */
async function runInterruptibly(asked: Asked, stage: Stage): Promise<number> {
  const { host, terminal } = stage;
  const abort = new AbortController();
  const ended = Promise.withResolvers<number>();
  let interrupted = false;
  const release = host.onInterrupt(() => {
    if (interrupted || !asked.command.lingers) ended.resolve(INTERRUPTED);
    interrupted = true;
    abort.abort();
  });
  // Nobody reads any more: not an error, and nothing left to do.
  terminal.onClosed(() => {
    abort.abort();
    ended.resolve(0);
  });
  try {
    const work = runOne(asked, stage, abort.signal);
    return await Promise.race([
      work.then((code) => (interrupted ? INTERRUPTED : code)),
      ended.promise,
    ]);
  } finally {
    release();
  }
}

async function runOne(asked: Asked, stage: Stage, signal: AbortSignal): Promise<number> {
  const { globals } = asked;
  try {
    const { run } = await asked.command.load();
    const outcome = await run(contextFor(asked, stage, signal));
    const dropped = signal.aborted && !asked.command.lingers;
    return dropped ? 0 : await finish(outcome, globals, stage);
  } catch (thrown) {
    if (signal.aborted) return 0;
    if (globals.debug && thrown instanceof Error)
      stage.terminal.err(thrown.stack ?? thrown.message);
    return await finish({ problem: problemIn(thrown) }, globals, stage);
  }
}

function problemIn(thrown: unknown): Problem {
  if (thrown instanceof Stop) return thrown.problem;
  return {
    kind: 'internal',
    code: 'bug',
    message: thrown instanceof Error ? thrown.message : String(thrown),
    cause: 'Convoy did not expect this.',
    remedy: 'Run the command again with --debug to see where it happened.',
  };
}

async function finish(outcome: Outcome, globals: Globals, stage: Stage): Promise<number> {
  const { terminal } = stage;
  const { jsonLine, problemJson } = await import('./json.ts');
  if ('problem' in outcome) {
    const { problemLines } = await import('./report.ts');
    if (globals.json) terminal.out(jsonLine(problemJson(outcome.problem)));
    else for (const line of problemLines(outcome.problem)) terminal.err(line);
    return exitCodeOf(outcome.problem);
  }
  if ('streamed' in outcome) return outcome.exit ?? 0;
  if (globals.json) {
    terminal.out(jsonLine(outcome.json));
  } else {
    const text = await outcome.text();
    const lines = typeof text === 'string' ? text : text.join('\n');
    if (lines !== '') terminal.out(lines);
  }
  return outcome.exit ?? 0;
}

function contextFor(asked: Asked, stage: Stage, signal: AbortSignal): CommandContext {
  const { host, terminal, table } = stage;
  const { globals } = asked;
  const { client, reconnect } = connector(globals, host, signal);
  const tty = host.stdout.isTTY === true;
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- filled from this command's declaration
    args: asked.args as ArgsOf<Shape>,
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- filled from this command's declaration
    options: asked.options as OptionsOf<Shape>,
    client,
    reconnect,
    call: async (route, input) => {
      const answer = await (await client()).call(route, input);
      if (!answer.ok) throw new Stop(answer.error);
      return answer.value;
    },
    out: (line) => terminal.out(line),
    err: (line) => (globals.quiet ? undefined : terminal.err(line)),
    json: globals.json,
    quiet: globals.quiet,
    color: tty && globals.color && !host.env['NO_COLOR'] && host.env['TERM'] !== 'dumb',
    // A terminal of unknown width says 0.
    columns: (tty ? host.stdout.columns : undefined) || 80,
    interactive: tty && host.stdin.isTTY === true && !globals.json,
    cwd: host.cwd,
    dir: dirOf(globals, host),
    env: host.env,
    stdin: host.stdin,
    signal,
    now: () => host.now(),
    version: host.version,
    commands: table,
    host,
  };
}

function connector(
  globals: Globals,
  host: Host,
  signal: AbortSignal,
): Pick<CommandContext, 'client' | 'reconnect'> {
  let connected: Promise<Client> | undefined;
  const connect = async (): Promise<Client> => {
    const answer = await host.connect({ dir: dirOf(globals, host), env: host.env, signal });
    if (!answer.ok) throw new Stop(answer.error);
    return answer.value;
  };
  return {
    client: async () => await (connected ??= connect()),
    reconnect: async () => await (connected = connect()),
  };
}

/** Naming a directory (-C or CONVOY_DIR) is like going there first. */
const dirOf = (globals: Globals, host: Host): string =>
  resolve(host.cwd, globals.dir ?? (host.env['CONVOY_DIR'] || '.'));
