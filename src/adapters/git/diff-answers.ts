import { randomBytes } from 'node:crypto';
import type { TreeId } from '../../ports/repository.ts';
import type { Protocol } from './standing.ts';

export type DiffQuestion = {
  readonly from: TreeId;
  readonly to: TreeId;
  /** Said back by git when it has answered; no repository can know it. */
  readonly mark: string;
};

export const diffBetween = (from: TreeId, to: TreeId): DiffQuestion => ({
  from,
  to,
  mark: `said ${randomBytes(16).toString('hex')}`,
});

/** More is for a git of its own, which can be stopped when it has said enough. */
const LONGEST = 512 * 1024;

/**
 * Many comparisons of trees by one git, each as `diff-tree` with these arguments prints it. A line that names
 * no object is said back, after all that came before it: so the end of each answer is known.
 */
export const diffTrees = (args: readonly string[]): Protocol<DiffQuestion, Buffer> => ({
  what: 'git diff-tree',
  args: ['diff-tree', '--stdin', ...args],
  say: ({ from, to, mark }) => `${from} ${to}\n${mark}\n`,
  read: (text, { from, to, mark }) => {
    const title = `${from} ${to}\n`;
    const end = text.indexOf(`${mark}\n`);
    if (end < 0) return text.length > LONGEST ? 'nonsense' : null;
    // Without a title it does not know one of the trees.
    if (text.toString('latin1', 0, title.length) !== title) return 'nonsense';
    return { length: end + mark.length + 1, answer: text.subarray(title.length, end) };
  },
});
