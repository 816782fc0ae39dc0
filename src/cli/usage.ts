import type { CommanderError } from 'commander';
import type { Problem } from '../contract/problem.ts';
import type { Arg, Command, Shape } from './command.ts';

export type UsageProblem = Problem & { readonly kind: 'invalid' };

type Place = {
  readonly path: readonly string[];
  readonly commands: readonly Command[];
};

/** Says in our words what the parser did not accept, and how it should have been. */
export function usageProblem(thrown: CommanderError, place: Place): UsageProblem {
  const [first = '', ...rest] = thrown.message.replace(/^error: /, '').split('\n');
  const suggestion = rest.join(' ').replaceAll(/[()]/g, '') || elsewhere(thrown, first, place);
  const command = place.commands.find(({ path }) => path.join(' ') === place.path.join(' '));
  const remedy = [
    suggestion,
    thrown.code === 'commander.unknownOption' && (command?.args.length ?? 0) > 0
      ? "A value that begins with '-' goes after '--'."
      : '',
    command === undefined ? helpFor(place.path) : `Usage: ${usageLine(command)}`,
  ];
  return {
    kind: 'invalid',
    code: CODES[thrown.code] ?? 'usage',
    message: sentence(first),
    remedy: remedy.filter((line) => line !== '').join('\n'),
  };
}

const CODES: Readonly<Record<string, string>> = {
  'commander.unknownCommand': 'unknown_command',
  'commander.unknownOption': 'unknown_option',
  'commander.missingArgument': 'missing_argument',
  'commander.optionMissingArgument': 'missing_value',
  'commander.invalidArgument': 'invalid_argument',
  'commander.excessArguments': 'too_many_arguments',
};

/** `convoy task create [options] <title>` */
export function usageLine(shape: Shape): string {
  const options = shape.options.some((option) => !option.hidden) ? ['[options]'] : [];
  return ['convoy', ...shape.path, ...options, ...shape.args.map(placeOf)].join(' ');
}

export function placeOf(arg: Arg): string {
  const name = arg.variadic ? `${arg.name}...` : arg.name;
  return arg.optional ? `[${name}]` : `<${name}>`;
}

/** `convoy show` exists only below a noun, and `convoy compl` was cut short: name what there is. */
function elsewhere(thrown: CommanderError, first: string, place: Place): string {
  if (thrown.code !== 'commander.unknownCommand') return '';
  const word = /'(.*)'/.exec(first)?.[1];
  if (word === undefined || word === '') return '';
  const paths = place.commands.map(({ path }) => path);
  const longer = paths
    .map((path) => path.slice(0, place.path.length + 1))
    .filter((path) => path.at(-1)?.startsWith(word) && startsWith(path, place.path));
  const below = paths.filter((path) => path.at(-1) === word);
  const known = new Set([...longer, ...below].map((path) => `'convoy ${path.join(' ')}'`));
  return known.size === 0 ? '' : `Did you mean ${[...known].slice(0, 3).join(' or ')}?`;
}

const startsWith = (path: readonly string[], start: readonly string[]): boolean =>
  start.every((word, at) => path[at] === word);

const helpFor = (path: readonly string[]): string =>
  `See '${['convoy', 'help', ...path].join(' ')}' for the commands.`;

const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
