import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { command, shape } from '../../src/cli/command.ts';
import { completionScript } from '../../src/cli/completion.ts';
import { COMMANDS } from '../../src/cli/table.ts';

const load = async (): Promise<{ run: () => Promise<{ json: object; text: () => string }> }> => ({
  run: async () => ({ json: {}, text: () => '' }),
});
const table = [
  command(
    shape({
      path: ['task', 'create'],
      group: 'Work',
      summary: "Write a task; it's easy",
      args: [{ name: 'title', summary: 'title' }],
      options: [
        {
          kind: 'text',
          name: 'type',
          short: 't',
          value: 'T',
          summary: 'type',
          choices: ['bug', 'chore'],
        },
        { kind: 'text', name: 'title', value: 'T', summary: 'title' },
        { kind: 'flag', name: 'ready', summary: 'ready', negatable: true },
        { kind: 'flag', name: 'hidden', summary: 'hidden', hidden: true },
      ],
      examples: [],
    }),
    load,
  ),
  command(
    shape({
      path: ['task', 'list'],
      group: 'Work',
      summary: 'List',
      args: [],
      options: [],
      examples: [],
    }),
    load,
  ),
  ...COMMANDS.filter(({ path }) => path[0] !== 'task'),
];

/** Sources the script in a real bash and asks it as readline would. */
function complete(...words: string[]): string[] {
  const script = `${completionScript('bash', table)}
complete -p convoy >/dev/null || exit 1
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _convoy; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const out = execFileSync('bash', ['--norc', '-c', script, 'bash', 'convoy', ...words], {
    encoding: 'utf8',
  });
  return out.split('\n').filter((line) => line !== '');
}

test('bash completes commands, verbs and options', () => {
  expect(complete('ta')).toEqual(['task']);
  expect(complete('task', '')).toEqual(['create', 'list']);
  expect(complete('task', 'create', '--t')).toEqual(['--type', '--title']);
  expect(complete('task', 'create', '--no')).toEqual(['--no-ready', '--no-color']);
  expect(complete('--js')).toEqual(['--json']);
});

test('bash completes the words an option or an argument may take', () => {
  expect(complete('task', 'create', '--type', '')).toEqual(['bug', 'chore']);
  expect(complete('task', 'create', '-t', 'c')).toEqual(['chore']);
  expect(complete('task', 'create', '--type', '=', 'b')).toEqual(['bug']);
  expect(complete('task', 'create', '--type', '=')).toEqual(['bug', 'chore']);
  expect(complete('completion', '')).toEqual(['bash', 'zsh', 'fish']);
});

test('bash takes the value of an option for no command', () => {
  expect(complete('-C', 'task', '')).toContain('completion');
  expect(complete('-C', 'dir', 'task', 'l')).toEqual(['list']);
  expect(complete('task', 'create', '--title', 'list', '--ty')).toEqual(['--type']);
});

test('what is hidden is not completed', () => {
  expect(complete('task', 'create', '--h')).toEqual(['--help']);
});

test.each(['bash', 'zsh', 'fish'] as const)(
  'the %s script names every command and option',
  (shell) => {
    const script = completionScript(shell, table);
    for (const { path, options } of table) {
      expect(script).toContain(path.at(-1));
      for (const { name } of options.filter(({ hidden }) => !hidden)) {
        expect(script).toMatch(new RegExp(`(--| -l )${name}`));
      }
    }
  },
);

for (const shell of ['zsh', 'fish'].filter((each) => !has(each)))
  process.stderr.write(
    `${shell} is not installed: the syntax check of its completion is skipped\n`,
  );

test.skipIf(!has('zsh'))('zsh accepts its script', () => {
  const input = completionScript('zsh', table);
  expect(() => execFileSync('zsh', ['-n'], { input })).not.toThrow();
});

test.skipIf(!has('fish'))('fish accepts its script', () => {
  const input = completionScript('fish', table);
  expect(() => execFileSync('fish', ['--no-execute'], { input })).not.toThrow();
});

function has(shell: string): boolean {
  try {
    execFileSync(shell, ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}
