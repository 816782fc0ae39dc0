import { GROUPS, type Command, type Option } from './command.ts';
import { GLOBAL_OPTIONS } from './globals.ts';
import { optionRow } from './help.ts';
import { usageLine } from './usage.ts';

/** The reference page of the command line, from the same table as the parser. */
export function cliReference(commands: readonly Command[]): string {
  const groups = GROUPS.map((group) => ({
    group,
    members: commands.filter((command) => command.group === group),
  })).filter(({ members }) => members.length > 0);
  return [
    '# The command line',
    '',
    'Generated from the command table by `npm run docs:reference`; do not edit.',
    '',
    '## Options of every command',
    '',
    ...optionTable(GLOBAL_OPTIONS),
    '',
    '## Exit codes',
    '',
    ...EXIT_CODES,
    ...groups.flatMap(({ group, members }) => ['', `## ${group}`, ...members.flatMap(entry)]),
    '',
  ].join('\n');
}

const EXIT_CODES = [
  '| Code | Meaning |',
  '|---|---|',
  '| 0 | ok |',
  '| 1 | refused, failed or partly failed |',
  '| 2 | usage or configuration |',
  '| 3 | not found |',
  '| 4 | conflict: already exists, already tracked, changed meanwhile, ambiguous |',
  '| 5 | waits for a person and cannot wait itself |',
  '| 6 | rolled back |',
  '| 130 | interrupted |',
];

function entry(command: Command): string[] {
  const visible = command.options.filter((option) => !option.hidden);
  return [
    '',
    `### convoy ${command.path.join(' ')}`,
    '',
    `${command.summary}.`,
    '',
    '```',
    usageLine(command),
    '```',
    ...(command.description === undefined ? [] : ['', command.description]),
    ...(command.args.length === 0 ? [] : ['', ...argTable(command)]),
    ...(visible.length === 0 ? [] : ['', ...optionTable(visible)]),
    '',
    '```sh',
    ...command.examples.flatMap(({ run, says }) => [`# ${says}`, run]),
    '```',
  ];
}

function argTable(command: Command): string[] {
  return [
    '| Argument | |',
    '|---|---|',
    ...command.args.map((arg) => {
      const choices = arg.choices === undefined ? '' : `: ${arg.choices.join(', ')}`;
      return row(`\`${arg.name}\``, arg.summary + choices);
    }),
  ];
}

function optionTable(options: readonly Option[]): string[] {
  return [
    '| Option | |',
    '|---|---|',
    ...options.map(optionRow).map(([flags, says]) => row(`\`${flags.trim()}\``, says)),
  ];
}

const row = (left: string, right: string): string =>
  `| ${left} | ${right.replaceAll('|', '\\|')} |`;
