import { spawnSync } from 'node:child_process';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { isBranchName } from '../../src/adapters/git/ref-name.ts';

const PIECES = 'a B 1 - . .. / @ { } ~ ^ : ? * [ ] \\ 日 é .lock lock @{ HEAD'.split(' ');
const piece = fc.constantFrom(...PIECES, ' ', '\t', '\u007f');

test('GT-172: a name is valid exactly when git says so and it is neither an option nor HEAD', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 5 }), (pieces) => {
      const name = pieces.join('');
      const git = spawnSync('git', ['check-ref-format', `refs/heads/${name}`]);
      const valid = git.status === 0 && !name.startsWith('-') && name !== 'HEAD';
      expect({ name, valid: isBranchName(name) }).toEqual({ name, valid });
    }),
    {
      numRuns: 150,
      examples: [[['HEAD']], [['@']], [['HEAD', '/', 'a']], [['a', '.lock']], [['a', '/']]],
    },
  );
});
