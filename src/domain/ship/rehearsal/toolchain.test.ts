import { expect, test } from 'vitest';
import { missingToolchains, programOf } from './toolchain.ts';

test('the program of a command line stands after assignments', () => {
  expect(
    ['node app.js', 'PORT=3 exec go run .', './start.sh', '$(which x)', ''].map(programOf),
  ).toEqual(['node', 'go', './start.sh', null, null]);
});

test('toolchains that a machine lacks are named once; a project brings its other programs itself', () => {
  const commands = ['mix deps.get && mix compile', 'vite build', 'node app.js || cargo run', null];
  expect(missingToolchains(commands, (program) => program === 'node')).toEqual(['mix', 'cargo']);
});
