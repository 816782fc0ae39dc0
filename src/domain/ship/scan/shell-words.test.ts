import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandsOf, joined, variablesOf } from './shell-words.ts';

test.each([
  ['node app.js', 'node app.js', {}],
  ['NODE_ENV=production node app.js', 'node app.js', { NODE_ENV: 'production' }],
  ['cross-env A=1 B="x y" node app.js', 'node app.js', { A: '1', B: 'x y' }],
  ['env PORT=8080 exec node .', 'node .', { PORT: '8080' }],
  ['tsc && node dist/a.js', 'tsc && node dist/a.js', {}],
  ['echo "a && b" ; node c.js', 'echo "a && b" ; node c.js', {}],
  ['node a.js 2>&1', 'node a.js 2>&1', {}],
  ['A=1', 'A=1', {}],
])('%s runs %s', (line, command, env) => {
  const commands = commandsOf(line);
  expect(joined(commands)).toBe(command);
  expect(variablesOf(commands)).toEqual(env);
});

test('a chain of plain commands comes back as it was', () => {
  const word = fc.stringMatching(/^[a-z][a-z0-9./-]{0,8}$/);
  const command = fc.array(word, { minLength: 1, maxLength: 4 }).map((words) => words.join(' '));
  const plain = command.filter((text) => !/^(exec|env|cross-env)/.test(text));
  fc.assert(
    fc.property(fc.array(plain, { minLength: 1, maxLength: 4 }), (commands) => {
      const line = commands.join(' && ');
      expect(joined(commandsOf(line))).toBe(line);
    }),
  );
});

test('no line makes the splitter fail', () => {
  fc.assert(
    fc.property(fc.string(), (line) => {
      expect(commandsOf(line).every(({ text }) => text !== '')).toBe(true);
    }),
  );
});
