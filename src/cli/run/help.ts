import { refused, type Command, type Run } from '../command.ts';
import type { help } from '../commands/shell.ts';
import { helpFor } from '../help.ts';
import { cleanLine } from '../render/clean.ts';

export const run: Run<typeof help> = async ({ args, commands, columns }) => {
  const text = helpFor(args.words, commands, columns);
  if (text === undefined) {
    return refused({
      kind: 'invalid',
      code: 'unknown_command',
      message: `There is no command '${cleanLine(args.words.join(' '))}'`,
      remedy: "'convoy help' lists the commands.",
    });
  }
  const named = commands.filter(({ path }) => args.words.every((word, at) => path[at] === word));
  return { json: { commands: named.map(asData) }, text: () => text };
};

function asData(command: Command): object {
  const { load: _load, lingers: _lingers, path, ...rest } = command;
  return { path: path.join(' '), ...rest, options: rest.options.filter(({ hidden }) => !hidden) };
}
