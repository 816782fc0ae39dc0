import { expect, test } from 'vitest';
import { lintFile } from './lint.ts';

test.each([
  ['fly.toml', 'app = "a"\n'],
  ['railway.json', '{}\n'],
  ['service.yaml', 'kind: Service\n'],
  ['.github/workflows/convoy-a.yml', 'on:\n  push:\n'],
  ['.env.schema', '# why\nA=\nB_2=\n'],
  ['.dockerignore', '**/.git\n'],
  ['Dockerfile.jobs', 'FROM a\nUSER 1\nCMD ["a"]\n'],
])('%s that parses', (path, content) => expect(lintFile(path, content)).toEqual([]));

test.each([
  ['fly.toml', 'app = \n'],
  ['fly.toml', 'app = "a"\napp = "b"\n'],
  ['railway.json', '{,}\n'],
  ['railway.json', '"text"\n'],
  ['railway.json', '[]\n'],
  ['railway.json', '{}'],
  ['service.yaml', 'a: b: c\n'],
  ['service.yaml', 'a: 1\na: 2\n'],
  ['service.yaml', 'a: *nowhere\n'],
  ['service.yaml', 'a: &x 1\nb: *x\n'],
  ['service.yaml', '- words\n'],
  ['service.yaml', 'words\n'],
  ['.env.schema', 'TOKEN=abc\n'],
  ['Dockerfile', 'RUN a\n'],
  ['Dockerfile', 'FROM a\0\n'],
  ['notes.txt', 'x\n'],
])('%s with %j does not', (path, content) => expect(lintFile(path, content)).not.toEqual([]));
