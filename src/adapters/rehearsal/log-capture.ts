import { redact, redactor } from '../../domain/ship/redact.ts';

/** Output of a step: bounded in memory, redacted before anyone sees it. */
export type LogCapture = {
  readonly write: (chunk: Buffer) => void;
  /** The beginning and the end of everything so far. */
  readonly text: () => string;
  /** The end of everything so far. */
  readonly tail: () => string;
  readonly flush: () => void;
};

const HEAD_BYTES = 32 * 1024;
const TAIL_BYTES = 128 * 1024;
const SHOWN_TAIL = 32 * 1024;
const EVENT_BYTES = 256 * 1024;

/** Captures output; `on` hears redacted text until a step has said enough. */
export function captureLog(secrets: readonly string[], on: (text: string) => void): LogCapture {
  const head = createHead();
  const tail = createTail();
  const live = redactor(secrets);
  let heard = 0;
  let total = 0;

  function announce(text: string): void {
    if (text !== '') on(plain(text));
  }

  function write(chunk: Buffer): void {
    total += chunk.length;
    head.write(chunk);
    tail.write(chunk);
    if (heard >= EVENT_BYTES) return;
    heard += chunk.length;
    announce(live.push(chunk.toString('utf8')));
    if (heard >= EVENT_BYTES) announce(`${live.flush()}\n… more output is captured, not shown\n`);
  }

  return {
    write,
    flush: () => announce(live.flush()),
    tail: () => shown(cleaned(tail.bytes(), total > TAIL_BYTES, secrets)),
    text: () => {
      if (total <= TAIL_BYTES) return cleaned(tail.bytes(), false, secrets);
      const skipped = total - HEAD_BYTES - TAIL_BYTES;
      const start = plain(redact(wholeLines(head.bytes().toString('utf8'), 'start'), secrets));
      return `${start}… ${Math.max(0, skipped)} bytes left out …\n${cleaned(tail.bytes(), true, secrets)}`;
    },
  };
}

function cleaned(bytes: Buffer, isCut: boolean, secrets: readonly string[]): string {
  const text = bytes.toString('utf8');
  return plain(redact(isCut ? wholeLines(text, 'end') : text, secrets));
}

/** A cut may go through a secret that then no longer looks like one: broken lines are dropped. */
function wholeLines(text: string, keep: 'start' | 'end'): string {
  return keep === 'start'
    ? text.slice(0, text.lastIndexOf('\n') + 1)
    : text.slice(text.indexOf('\n') + 1);
}

function shown(text: string): string {
  return text.length <= SHOWN_TAIL ? text : wholeLines(text.slice(-SHOWN_TAIL), 'end');
}

// oxlint-disable-next-line no-control-regex -- control characters are what must go
const ESCAPES = /\u001B(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001B]*(?:\u0007|\u001B\\)?|[@-Z\\-_])/g;
// oxlint-disable-next-line no-control-regex -- control characters are what must go
const CONTROLS = /[\u0000-\u0008\u000B-\u001F\u007F-\u009F]/g;

function plain(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(ESCAPES, '').replaceAll(CONTROLS, '');
}

type Keeper = { readonly write: (chunk: Buffer) => void; readonly bytes: () => Buffer };

function createHead(): Keeper {
  const kept: Buffer[] = [];
  let size = 0;
  return {
    write: (chunk) => {
      if (size >= HEAD_BYTES) return;
      const part = Buffer.from(chunk.subarray(0, HEAD_BYTES - size));
      size += part.length;
      kept.push(part);
    },
    bytes: () => Buffer.concat(kept),
  };
}

function createTail(): Keeper {
  let kept: Buffer[] = [];
  let size = 0;
  const bytes = (): Buffer => Buffer.concat(kept).subarray(-TAIL_BYTES);
  return {
    write: (chunk) => {
      kept.push(chunk);
      size += chunk.length;
      if (size < TAIL_BYTES * 4) return;
      kept = [Buffer.from(bytes())];
      size = TAIL_BYTES;
    },
    bytes,
  };
}
