import { expect, test } from 'vitest';
import { rejectionIn } from './remote.ts';

test.each([
  ['[rejected] (stale info)', 'stale'],
  ['[rejected] (non-fast-forward)', 'not_fast_forward'],
  ['[rejected] (fetch first)', 'not_fast_forward'],
  ['[remote rejected] (failed to update ref)', 'stale'],
  ['[remote rejected] (pre-receive hook declined)', 'refused_by_remote'],
])('git’s %j means %s', (summary, reason) => {
  const porcelain = `To http://host/x\n!\tabc:refs/heads/x\t${summary}\nDone\n`;
  expect(rejectionIn(porcelain)).toEqual({ kind: 'push_rejected', reason, detail: summary });
});

test('an answer without a refused ref is not a rejection', () => {
  expect(rejectionIn('To http://host/x\n*\tabc:refs/heads/x\t[new branch]\nDone\n')).toBeNull();
  expect(rejectionIn('')).toBeNull();
});
