import { shape } from '../command.ts';

export const completion = shape({
  path: ['completion'],
  group: 'System',
  summary: 'Print a script that completes commands and options in your shell',
  args: [{ name: 'shell', summary: 'the shell to write for', choices: ['bash', 'zsh', 'fish'] }],
  options: [],
  examples: [
    { run: 'eval "$(convoy completion bash)"', says: 'complete in this bash' },
    {
      run: 'convoy completion fish > ~/.config/fish/completions/convoy.fish',
      says: 'complete in every fish from now on',
    },
  ],
});

export const help = shape({
  path: ['help'],
  group: 'System',
  summary: 'Explain a command with examples',
  args: [
    {
      name: 'words',
      summary: 'the command; none for the overview',
      optional: true,
      variadic: true,
    },
  ],
  options: [],
  examples: [
    { run: 'convoy help', says: 'see every command' },
    { run: 'convoy help completion', says: 'read about one command' },
    { run: 'convoy help --json', says: 'get the whole table as data' },
  ],
});

export const version = shape({
  path: ['version'],
  group: 'System',
  summary: 'Print the version of Convoy and of Node',
  args: [],
  options: [],
  examples: [
    { run: 'convoy version', says: 'see what is installed' },
    { run: 'convoy version --json', says: 'read it in a script' },
  ],
});
