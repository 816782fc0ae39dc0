import type { Host } from './host.ts';

/** Stdout and stderr that survive a reader who goes away. */
export type Terminal = {
  out(line: string): void;
  err(line: string): void;
  /** Calls back once when stdout's reader is gone. */
  onClosed(listener: () => void): void;
  /** Stdout could not take what we wrote, for another reason than a reader who left. */
  failed(): boolean;
  flush(): Promise<void>;
};

export function openTerminal({ stdout, stderr }: Pick<Host, 'stdout' | 'stderr'>): Terminal {
  let state: 'open' | 'closed' | 'failed' = 'open';
  let closed: () => void = nothing;
  const outFailed = (error: NodeJS.ErrnoException): void => {
    if (state !== 'open') return;
    state = error.code === 'EPIPE' ? 'closed' : 'failed';
    if (state === 'failed') stderr.write(`error: cannot write to stdout: ${error.message}\n`);
    closed();
  };
  // The listeners stay to the end: a late EPIPE after the last write must not become a crash.
  stdout.on('error', outFailed);
  stderr.on('error', nothing);
  return {
    out: (line) => {
      if (state === 'open') stdout.write(`${line}\n`);
    },
    err: (line) => {
      stderr.write(`${line}\n`);
    },
    onClosed: (listener) => {
      closed = listener;
      if (state !== 'open') listener();
    },
    failed: () => state === 'failed',
    flush: async () => {
      if (state === 'open') await new Promise<void>((done) => stdout.write('', () => done()));
    },
  };
}

const nothing = (): void => {};
