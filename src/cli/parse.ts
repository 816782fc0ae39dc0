import {
  Argument,
  Command as Commander,
  CommanderError,
  InvalidArgumentError,
  Option as CommanderOption,
} from 'commander';
import type { Arg, Command, NumberOption, Option, TextOption } from './command.ts';
import { GLOBAL_OPTIONS, type Globals } from './globals.ts';
import { usageProblem, type UsageProblem } from './usage.ts';

export type Parsed =
  | {
      readonly kind: 'run';
      readonly command: Command;
      readonly args: Readonly<Record<string, unknown>>;
      readonly options: Readonly<Record<string, unknown>>;
      readonly globals: Globals;
    }
  | { readonly kind: 'help'; readonly path: readonly string[]; readonly globals: Globals }
  | { readonly kind: 'version'; readonly globals: Globals }
  | { readonly kind: 'usage'; readonly problem: UsageProblem; readonly globals: Globals };

/** Reads a command line against the table. */
export function parse(argv: readonly string[], commands: readonly Command[]): Parsed {
  let found: Parsed | undefined;
  let at: readonly string[] = [];
  const program = programOf(argv, commands, {
    run: (parsed) => {
      found = parsed;
    },
    stoppedAt: (path) => {
      at = path;
    },
  });
  // A mistake may come before `--json` was read, and must still be answered in JSON.
  const written = argv.slice(0, literalFrom(argv));
  const globals = (): Globals => ({
    ...globalsOf(program),
    json: written.includes('--json'),
    debug: written.includes('--debug'),
  });
  try {
    program.parse([...argv], { from: 'user' });
  } catch (thrown) {
    if (!(thrown instanceof CommanderError)) throw thrown;
    if (program.opts()['version'] === true) return { kind: 'version', globals: globals() };
    if (HELP_CODES.has(thrown.code)) return { kind: 'help', path: at, globals: globals() };
    const problem = usageProblem(thrown, { path: at, commands });
    return { kind: 'usage', problem, globals: globals() };
  }
  if (program.opts()['version'] === true) return { kind: 'version', globals: globals() };
  return found ?? { kind: 'help', path: at, globals: globals() };
}

const HELP_CODES = new Set(['commander.help', 'commander.helpDisplayed']);

const literalFrom = (argv: readonly string[]): number => {
  const at = argv.indexOf('--');
  return at === -1 ? argv.length : at;
};

type Heard = {
  readonly run: (parsed: Parsed) => void;
  readonly stoppedAt: (path: readonly string[]) => void;
};

function programOf(argv: readonly string[], commands: readonly Command[], heard: Heard): Commander {
  const program = silent(new Commander('convoy'), [], heard);
  for (const option of GLOBAL_OPTIONS) {
    if (option.name !== 'help') addOption(program, option, argv);
  }
  const nodes = new Map<string, Commander>([['', program]]);
  for (const command of commands) {
    const node = nodeFor(command.path, nodes, heard);
    for (const arg of command.args) node.addArgument(argumentOf(arg));
    for (const option of command.options) addOption(node, option, argv);
    node.action(() =>
      heard.run({
        kind: 'run',
        command,
        args: argsOf(command, node.processedArgs),
        options: optionsOf(command, node.opts()),
        globals: globalsOf(program),
      }),
    );
  }
  return program;
}

function nodeFor(path: readonly string[], nodes: Map<string, Commander>, heard: Heard): Commander {
  const key = path.join(' ');
  const known = nodes.get(key);
  if (known !== undefined) return known;
  const node = silent(new Commander(path.at(-1)), path, heard);
  nodeFor(path.slice(0, -1), nodes, heard).addCommand(node);
  nodes.set(key, node);
  return node;
}

/** We print help and errors ourselves, from the table. */
const silent = (command: Commander, path: readonly string[], heard: Heard): Commander =>
  command
    .exitOverride((error) => {
      heard.stoppedAt(path);
      throw error;
    })
    .helpCommand(false)
    .helpOption('-h, --help')
    .configureHelp({ formatHelp: () => '' })
    .configureOutput({ writeOut: () => {}, writeErr: () => {} });

function argumentOf(arg: Arg): Argument {
  const name = arg.variadic ? `${arg.name}...` : arg.name;
  const argument = new Argument(arg.optional ? `[${name}]` : `<${name}>`, arg.summary);
  return arg.choices ? argument.choices(arg.choices) : argument;
}

function addOption(to: Commander, option: Option, argv: readonly string[]): void {
  const short = option.short === undefined ? '' : `-${option.short}, `;
  const value = option.kind === 'flag' ? '' : ` <${option.value}>`;
  const made = new CommanderOption(`${short}--${option.name}${value}`, option.summary);
  if (option.hidden) made.hideHelp();
  if (option.kind === 'text') readText(made, option, argv);
  if (option.kind === 'number') made.argParser((text) => numberFrom(text, option));
  to.addOption(made);
  if (option.kind === 'flag' && option.negatable) {
    to.addOption(new CommanderOption(`--no-${option.name}`, option.summary));
  }
}

function readText(made: CommanderOption, option: TextOption, argv: readonly string[]): void {
  made.argParser<string | string[]>((text, previous) => {
    refuseFlag(text, option, argv);
    if (option.choices !== undefined && !option.choices.includes(text)) {
      throw new InvalidArgumentError(`Allowed choices are ${option.choices.join(', ')}.`);
    }
    return option.repeatable ? [previous ?? [], text].flat() : text;
  });
}

/** `--title --force` is a forgotten value far more often than a title. */
function refuseFlag(text: string, option: TextOption, argv: readonly string[]): void {
  if (!/^--?[a-z]/i.test(text) || argv.includes(`--${option.name}=${text}`)) return;
  throw new InvalidArgumentError(
    `It looks like an option; if it is meant, write --${option.name}=${text}`,
  );
}

function numberFrom(text: string, option: NumberOption): number {
  const number = /^-?(\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN;
  const whole = option.fractional === true || Number.isSafeInteger(number);
  if (!Number.isFinite(number) || !whole) {
    throw new InvalidArgumentError(
      option.fractional ? 'It must be a number.' : 'It must be a whole number.',
    );
  }
  if (option.least !== undefined && number < option.least) {
    throw new InvalidArgumentError(`It must be at least ${option.least}.`);
  }
  if (option.most !== undefined && number > option.most) {
    throw new InvalidArgumentError(`It must be at most ${option.most}.`);
  }
  return number;
}

function argsOf(command: Command, values: readonly unknown[]): Record<string, unknown> {
  return Object.fromEntries(
    command.args.map((arg, at) => [camel(arg.name), values[at] ?? (arg.variadic ? [] : undefined)]),
  );
}

function optionsOf(command: Command, values: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(
    command.options.map((option) => {
      const name = camel(option.name);
      return [name, values[name] ?? absent(option)];
    }),
  );
}

function absent(option: Option): unknown {
  if (option.kind === 'flag') return option.negatable ? undefined : false;
  if (option.kind === 'text' && option.repeatable) return [];
  return option.default;
}

function globalsOf(program: Commander): Globals {
  const values = program.opts<{
    dir?: string;
    json?: boolean;
    quiet?: boolean;
    debug?: boolean;
    color?: boolean;
  }>();
  return {
    dir: values.dir,
    json: values.json ?? false,
    quiet: values.quiet ?? false,
    debug: values.debug ?? false,
    color: values.color ?? true,
  };
}

const camel = (name: string): string =>
  name.replaceAll(/-([a-z])/g, (_, letter: string) => letter.toUpperCase());
