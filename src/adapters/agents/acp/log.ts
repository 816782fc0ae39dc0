import { writeSync } from 'node:fs';
import { clip } from '../clean-text.ts';
import { type Json, objectIn, textIn } from '../json.ts';

/** The conversation as lines of JSON, in the vocabulary that `acp-lines.ts` reads. */
export type Log = {
  tell(line: { readonly type: string } & Json): void;
  /** A session update as it came; pieces of one message become one line. */
  update(update: Json): void;
  /** Something the agent printed that is not of the protocol. */
  text(text: string): void;
  flush(): void;
};

const CHUNKS: readonly string[] = ['agent_message_chunk', 'agent_thought_chunk'];
/** A message in the making is heard of at least this often, so that it is not taken for silence. */
const PATIENCE_MS = 5000;
const MOST_PIECE = 16 * 1024;
const MOST_TEXT = 4096;

export function logTo(write: (line: string) => void): Log {
  let open: { kind: string; text: string } | null = null;
  let timer: NodeJS.Timeout | undefined;
  const put = (line: object): void => write(`${JSON.stringify(line)}\n`);
  const flush = (): void => {
    clearTimeout(timer);
    if (open === null) return;
    const { kind, text } = open;
    open = null;
    put({ type: 'update', update: { sessionUpdate: kind, content: { type: 'text', text } } });
  };
  const add = (kind: string, text: string): void => {
    if (open?.kind !== kind) flush();
    if (open === null) timer = setTimeout(flush, PATIENCE_MS);
    open = { kind, text: (open?.text ?? '') + text };
    if (open.text.length > MOST_PIECE) flush();
  };
  const tell = (line: object): void => {
    flush();
    put(line);
  };
  return {
    tell,
    update(update) {
      const kind = textIn(update, 'sessionUpdate');
      const content = objectIn(update, 'content');
      if (CHUNKS.includes(kind) && content['type'] === 'text') add(kind, textIn(content, 'text'));
      else tell({ type: 'update', update });
    },
    text: (text) => tell({ type: 'text', text: clip(text, MOST_TEXT) }),
    flush,
  };
}

/** Straight to standard output: nothing is left unwritten when the process ends. */
export function writeOut(text: string): void {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(1, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
    }
  }
}
