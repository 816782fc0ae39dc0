import type { Option } from './command.ts';

/** Options that every command understands, before or after its name. */
export const GLOBAL_OPTIONS = [
  {
    kind: 'text',
    name: 'dir',
    short: 'C',
    value: 'DIR',
    summary: 'look for the workspace from DIR upwards',
  },
  { kind: 'flag', name: 'json', summary: 'print one JSON document on stdout' },
  { kind: 'flag', name: 'quiet', short: 'q', summary: 'no progress and no hints on stderr' },
  { kind: 'flag', name: 'debug', summary: 'show the stack trace of an error' },
  { kind: 'flag', name: 'no-color', summary: 'no colours; NO_COLOR does the same' },
  { kind: 'flag', name: 'version', short: 'V', summary: 'print the version' },
  { kind: 'flag', name: 'help', short: 'h', summary: 'show help for a command' },
] as const satisfies readonly Option[];

export type Globals = {
  readonly dir: string | undefined;
  readonly json: boolean;
  readonly quiet: boolean;
  readonly debug: boolean;
  readonly color: boolean;
};

/** What each word means that only groups other commands. */
export const NOUNS: Readonly<Record<string, string>> = {
  repo: 'Repositories of the workspace',
  task: 'Tasks and the order between them',
  'task dep': 'What a task waits for',
  queue: 'Changes on their way into a target',
  token: 'Who else may get in',
  config: 'Settings and where they come from',
  ledger: 'The record of everything that happened',
};
