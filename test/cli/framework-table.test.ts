import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { DISPATCHABLE_TYPES, TASK_STATUSES, TASK_TYPES } from '../../src/domain/work/task.ts';
import { TOKEN_ROLES } from '../../src/domain/identity/identity.ts';
import { LEVELS } from '../../src/domain/work/dependency.ts';
import { CONVOY_STATUSES } from '../../src/contract/schemas/convoy.ts';
import { heldStatus } from '../../src/contract/schemas/task.ts';
import { GLOBAL_OPTIONS, NOUNS } from '../../src/cli/globals.ts';
import { helpFor } from '../../src/cli/help.ts';
import { parse } from '../../src/cli/parse.ts';
import { knownStatuses } from '../../src/cli/render/status.ts';
import { COMMANDS } from '../../src/cli/table.ts';
import * as words from '../../src/cli/commands/words.ts';

const names = COMMANDS.map((command) => [command.path.join(' '), command] as const);

test('no two commands have the same name', () => {
  expect(new Set(names.map(([name]) => name)).size).toBe(COMMANDS.length);
});

test('every noun that only groups commands says what it is', () => {
  const nouns = COMMANDS.flatMap(({ path }) =>
    path.slice(0, -1).map((_, at) => path.slice(0, at + 1).join(' ')),
  );
  expect(Object.keys(NOUNS).filter((noun) => nouns.includes(noun))).toEqual([...new Set(nouns)]);
});

test.each(names)('%s: its behaviour loads', async (_, command) => {
  expect(await command.load()).toMatchObject({ run: expect.any(Function) });
});

test.each(names)('%s: help has two examples and fits 80 columns', (_, command) => {
  expect(command.examples.length).toBeGreaterThanOrEqual(2);
  const lines = helpFor(command.path, COMMANDS, 200)?.split('\n') ?? [];
  expect(lines.filter((line) => line.length > 80)).toEqual([]);
});

test('the overview and the help of every noun fit 80 columns', () => {
  for (const path of [[], ...Object.keys(NOUNS).map((noun) => noun.split(' '))]) {
    const lines = helpFor(path, COMMANDS, 200)?.split('\n') ?? [];
    expect(lines.filter((line) => line.length > 80)).toEqual([]);
  }
});

test.each(names)('%s: its examples are command lines that parse to it', (name, command) => {
  for (const { run } of command.examples) {
    const argv = wordsOf(run);
    const parsed = parse(argv, COMMANDS);
    expect(parsed).toMatchObject({ kind: 'run' });
    expect(parsed.kind === 'run' && parsed.command.path.join(' ')).toBe(name);
  }
});

test('no command takes an option name that is already global', () => {
  const taken = new Set<string>(
    GLOBAL_OPTIONS.flatMap((option) => [option.name, 'short' in option ? option.short : '']),
  );
  const clashes = COMMANDS.flatMap(({ path, options }) =>
    options
      .filter(({ name, short }) => taken.has(name) || (short !== undefined && taken.has(short)))
      .map(({ name }) => `${path.join(' ')} --${name}`),
  );
  expect(clashes).toEqual([]);
});

test('the words of the options are the words of the contract', () => {
  expect(words.TASK_TYPES).toEqual(TASK_TYPES);
  expect(words.TASK_TYPES).toEqual(expect.arrayContaining([...DISPATCHABLE_TYPES]));
  expect(words.TASK_STATUSES).toEqual(TASK_STATUSES);
  expect(words.CONVOY_STATUSES).toEqual(CONVOY_STATUSES);
  expect(words.HELD_STATUSES).toEqual(heldStatus.options);
  expect(words.LEVELS).toEqual(LEVELS);
  expect(words.TOKEN_ROLES).toEqual(TOKEN_ROLES);
});

test('every status of the contract has a shape and a colour', () => {
  expect(knownStatuses('task').toSorted()).toEqual(TASK_STATUSES.toSorted());
  expect(knownStatuses('convoy').toSorted()).toEqual(CONVOY_STATUSES.toSorted());
});

/** The words that a shell would hand to convoy: without pipes before it, redirections and $( ) around it. */
function wordsOf(line: string): string[] {
  const inner = /\$\((convoy [^)]*)\)/.exec(line)?.[1] ?? line;
  const bare = inner.replace(/^.*\| (?=convoy)/, '').replace(/ > \S+$/, '');
  const script = `convoy() { printf '%s\\0' "$@"; }; ${bare}`;
  return execFileSync('bash', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1);
}
