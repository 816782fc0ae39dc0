import type { Protocol, Standing } from './standing.ts';

/** What an object is, by its full name or an expression that begins with one. */
export type ObjectInfo = { readonly id: string; readonly type: string; readonly bytes: Buffer };

export type ObjectQuestion = {
  readonly expression: string;
  /** Contents are read only when asked for. */
  readonly want: 'info' | 'contents';
};

/** Asks what objects there are and what is in them; null when there is no such object. */
export type Objects = Standing<ObjectQuestion, ObjectInfo | null>;

const LONGEST_HEADER = 4096;

export const CAT_FILE: Protocol<ObjectQuestion, ObjectInfo | null> = {
  what: 'git cat-file',
  args: ['cat-file', '--batch-command'],
  say: ({ want, expression }) => `${want} ${expression}\n`,
  read: (text, { want }) => {
    const end = text.indexOf(10);
    if (end < 0) return text.length > LONGEST_HEADER ? 'nonsense' : null;
    const header = text.subarray(0, end).toString('utf8');
    const known = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header);
    if (known === null)
      return / (?:missing|ambiguous)$/.test(header)
        ? { length: end + 1, answer: null }
        : 'nonsense';
    const [, id = '', type = '', size = '0'] = known;
    if (want === 'info') return { length: end + 1, answer: { id, type, bytes: Buffer.alloc(0) } };
    const after = end + 1 + Number(size);
    // The content is followed by one line end of its own.
    if (text.length < after + 1) return null;
    return { length: after + 1, answer: { id, type, bytes: text.subarray(end + 1, after) } };
  },
};
