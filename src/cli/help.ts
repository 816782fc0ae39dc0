import { GROUPS, type Command, type Option, type Shape } from './command.ts';
import { GLOBAL_OPTIONS, NOUNS } from './globals.ts';
import { placeOf, usageLine } from './usage.ts';
import { wrap } from './render/wrap.ts';

const WIDEST = 80;

/** Help for whatever the words name: everything, the commands below a noun, or one command. */
export function helpFor(
  path: readonly string[],
  commands: readonly Command[],
  columns = WIDEST,
): string | undefined {
  const width = Math.min(columns, WIDEST);
  if (path.length === 0) return overview(commands, width);
  const one = commands.find((command) => command.path.join(' ') === path.join(' '));
  if (one !== undefined) return manual(one, width);
  const below = commands.filter((command) => path.every((word, at) => command.path[at] === word));
  return below.length === 0 ? undefined : nounHelp(path, below, width);
}

function overview(commands: readonly Command[], width: number): string {
  const groups = GROUPS.map((group) => ({
    group,
    rows: entriesOf(commands.filter((command) => command.group === group)),
  })).filter(({ rows }) => rows.length > 0);
  const longest = Math.max(...groups.flatMap(({ rows }) => rows.map(([name]) => name.length)));
  return [
    'Takes a batch of work from plan to production with coding agents.',
    '',
    'Usage: convoy <command> [options]',
    ...groups.flatMap(({ group, rows }) => ['', group, ...columnsOf(rows, width, longest)]),
    '',
    'Options',
    ...columnsOf(GLOBAL_OPTIONS.map(optionRow), width),
    '',
    "'convoy help <command>' explains a command with examples.",
  ].join('\n');
}

/** A noun with several verbs takes one line: `task create|show|list…`. */
function entriesOf(commands: readonly Command[]): [string, string][] {
  const seen = new Map<string, string>();
  for (const command of commands) {
    const [noun] = command.path;
    const own = command.path.length === 1;
    if (!seen.has(noun)) seen.set(noun, own ? command.summary : verbsOf(noun, commands));
  }
  return [...seen];
}

function verbsOf(noun: string, commands: readonly Command[]): string {
  const verbs = commands.filter(({ path }) => path[0] === noun).map(({ path }) => path[1] ?? '');
  return `${NOUNS[noun] ?? noun}: ${[...new Set(verbs)].join(', ')}`;
}

function nounHelp(path: readonly string[], below: readonly Command[], width: number): string {
  const rows = below.map((command): [string, string] => [
    [...command.path.slice(path.length), ...command.args.map(placeOf)].join(' '),
    command.summary,
  ]);
  return [
    NOUNS[path.join(' ')] ?? path.join(' '),
    '',
    `Usage: convoy ${path.join(' ')} <command> [options]`,
    '',
    'Commands',
    ...columnsOf(rows, width),
    '',
    `'convoy help ${path.join(' ')} <command>' explains one with examples.`,
  ].join('\n');
}

function manual(command: Shape, width: number): string {
  const visible = command.options.filter((option) => !option.hidden);
  const args = command.args.map((arg): [string, string] => [placeOf(arg), argSays(arg)]);
  return [
    ...wrap(command.summary, width),
    '',
    `Usage: ${usageLine(command)}`,
    ...(command.description === undefined ? [] : ['', ...wrap(command.description, width)]),
    ...section('Arguments', args, width),
    ...section('Options', visible.map(optionRow), width),
    '',
    'Examples',
    ...command.examples.flatMap(({ run, says }) => [
      ...wrap(`# ${says}`, width - 2).map((line) => `  ${line}`),
      `  ${run}`,
    ]),
    '',
    ...wrap(`Also: ${GLOBAL_OPTIONS.map(({ name }) => `--${name}`).join(', ')}`, width),
  ].join('\n');
}

const section = (title: string, rows: readonly [string, string][], width: number): string[] =>
  rows.length === 0 ? [] : ['', title, ...columnsOf(rows, width)];

const argSays = (arg: Shape['args'][number]): string =>
  arg.choices === undefined ? arg.summary : `${arg.summary}: ${arg.choices.join(', ')}`;

export function optionRow(option: Option): [string, string] {
  return [optionFlags(option), optionSays(option)];
}

/** `-f, --follow`, `--[no-]wait`, `--type WORD` */
function optionFlags(option: Option): string {
  const short = option.short === undefined ? '    ' : `-${option.short}, `;
  const no = option.kind === 'flag' && option.negatable ? '[no-]' : '';
  const value = option.kind === 'flag' ? '' : ` ${option.value}`;
  return `${short}--${no}${option.name}${value}`;
}

function optionSays(option: Option): string {
  if (option.kind === 'flag') return option.summary;
  const notes = [
    option.kind === 'text' && option.choices ? `one of ${option.choices.join(', ')}` : '',
    option.kind === 'text' && option.repeatable ? 'may be given several times' : '',
    option.default === undefined ? '' : `default ${option.default}`,
  ].filter((note) => note !== '');
  return notes.length === 0 ? option.summary : `${option.summary} (${notes.join('; ')})`;
}

/** Two columns; a left side that is too wide for its column gets a line of its own. */
function columnsOf(
  rows: readonly (readonly [string, string])[],
  width: number,
  longest = Math.max(...rows.map(([left]) => left.length)),
): string[] {
  const left = Math.min(longest, 28);
  const indent = ' '.repeat(left + 4);
  return rows.flatMap(([name, says]) => {
    const lines = wrap(says, width - indent.length);
    if (name.length > left) return [`  ${name}`, ...lines.map((line) => indent + line)];
    const [first = '', ...rest] = lines;
    return [`  ${name.padEnd(left)}  ${first}`.trimEnd(), ...rest.map((line) => indent + line)];
  });
}
