import type { Protocol } from './standing.ts';

export type MergeQuestion = { readonly ours: string; readonly theirs: string };

/** A merge as `merge-tree -z` prints it: the tree, and with a conflict its stages and messages. */
export type MergeAnswer = { readonly clean: boolean; readonly output: string };

/**
 * Many merges by one git. It keeps its answers back until it has a few thousand bytes of them, so it is
 * started through `stdbuf`, which takes that buffer away; where there is none, it does not start.
 */
export const MERGE_TREE: Protocol<MergeQuestion, MergeAnswer> = {
  what: 'git merge-tree',
  args: ['merge-tree', '--stdin'],
  through: ['stdbuf', '-o0'],
  say: ({ ours, theirs }) => `${ours} ${theirs}\n`,
  read: (text) => readMerge(text),
};

/**
 * Status, tree; with a conflict one field per stage, an empty one, then messages, each as a count, that
 * many paths, a sort and a text; at the end of all an empty field.
 */
export function readMerge(
  text: Buffer,
): { length: number; answer: MergeAnswer } | 'nonsense' | null {
  const status = fieldAt(text, 0);
  if (status === null) return null;
  if (status.value !== '0' && status.value !== '1') return 'nonsense';
  const tree = fieldAt(text, status.next);
  if (tree === null) return null;
  if (!/^[0-9a-f]{40,64}$/.test(tree.value)) return 'nonsense';
  const stages = fieldsUntilEmpty(text, tree.next);
  if (stages === null) return null;
  const clean = status.value === '1';
  const end = clean ? stages : endOfMessages(text, stages);
  if (end === null || end === 'nonsense') return end;
  return { length: end, answer: { clean, output: text.toString('utf8', status.next, end - 1) } };
}

function fieldAt(text: Buffer, from: number): { value: string; next: number } | null {
  const end = text.indexOf(0, from);
  return end < 0 ? null : { value: text.toString('utf8', from, end), next: end + 1 };
}

/** Where the field after the first empty one begins. */
function fieldsUntilEmpty(text: Buffer, from: number): number | null {
  for (let at = from; ;) {
    const field = fieldAt(text, at);
    if (field === null || field.value === '') return field === null ? null : field.next;
    at = field.next;
  }
}

function endOfMessages(text: Buffer, from: number): number | 'nonsense' | null {
  for (let at = from; ;) {
    const count = fieldAt(text, at);
    if (count === null || count.value === '') return count === null ? null : count.next;
    if (!/^\d{1,6}$/.test(count.value)) return 'nonsense';
    at = count.next;
    // The paths, the sort and the text.
    for (let left = Number(count.value) + 2; left > 0; left -= 1) {
      const field = fieldAt(text, at);
      if (field === null) return null;
      at = field.next;
    }
  }
}
