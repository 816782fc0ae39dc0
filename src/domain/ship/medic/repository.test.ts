import { expect, test } from 'vitest';
import { openRepository, resolvePath } from './repository.ts';

const files = [
  'package.json',
  'src/app.js',
  'apps/api/src/app.js',
  'apps/web/page.js',
  'lib/x/only.py',
];
const repo = openRepository({ paths: files, text: () => '' }, '.', (text) => text);
const root = { cwd: '/tmp/copy', lanePath: '.' };
const api = { cwd: '/tmp/copy/apps/api', lanePath: 'apps/api' };

test.each([
  ['an absolute path of the copy', '/tmp/copy/src/app.js', root, 'src/app.js'],
  ['the same for a lane', '/tmp/copy/apps/api/src/app.js', api, 'apps/api/src/app.js'],
  ['a path relative to the lane', './src/app.js', api, 'apps/api/src/app.js'],
  ['another directory altogether', '/app/src/app.js', root, 'src/app.js'],
  ['a file address', 'file:///tmp/copy/src/app.js', root, 'src/app.js'],
  ['a file name that exists once', 'only.py', root, 'lib/x/only.py'],
  ['a path that leaves the repository', '../../etc/passwd', root, null],
  ['a file that does not exist', '/tmp/copy/src/none.js', root, null],
])('%s is led back', (_name, printed, where, expected) => {
  expect(resolvePath(repo, printed, where)).toBe(expected);
});
