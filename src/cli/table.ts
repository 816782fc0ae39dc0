import { command, type Command } from './command.ts';
import * as shell from './commands/shell.ts';

/**
 * Every command there is. Parser, help, completion and the reference page are read from this table;
 * what a command does is loaded when it runs.
 */
export const COMMANDS: readonly Command[] = [
  command(shell.completion, () => import('./run/completion.ts')),
  command(shell.help, () => import('./run/help.ts')),
  command(shell.version, () => import('./run/version.ts')),
];
