import { spawn } from 'node:child_process';
import { type Readable, Writable } from 'node:stream';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { lineCutter } from '../lines.ts';

/** How the agent's process ended, in words and as a code. */
export type AgentEnd =
  | { readonly kind: 'not-started'; readonly message: string }
  | { readonly kind: 'code'; readonly code: number }
  | { readonly kind: 'signal'; readonly signal: string };

export type AgentProcess = {
  readonly stream: Stream;
  readonly ended: Promise<AgentEnd>;
  /** The last line it wrote to its standard error; often the reason of its end. */
  lastWords(): string;
  /** Lets it end by itself for a moment, then asks it, then makes it. */
  close(): Promise<void>;
};

const LONGEST_LINE = 1024 * 1024;
const MOST_MESSAGE = 64 * 1024 * 1024;
/** Together with the wait for a cancelled turn, less than the grace an attempt gets. */
const LET_MS = 1000;
const ASK_MS = 500;

/** Starts the agent; what it prints besides messages of the protocol goes to `text`. */
export function startAgent(
  [program, ...args]: readonly [string, ...string[]],
  cwd: string,
  text: (line: string) => void,
): AgentProcess {
  const child = spawn(program, args, { cwd, stdio: ['pipe', 'pipe', 'pipe'] });
  const ended = new Promise<AgentEnd>((resolve) => {
    child.on('error', (error) =>
      resolve({ kind: 'not-started', message: `${program} cannot be started: ${error.message}` }),
    );
    child.on('exit', (code, signal) =>
      resolve(signal === null ? { kind: 'code', code: code ?? 1 } : { kind: 'signal', signal }),
    );
  });
  // A write to an agent that is gone fails here; its end is told by `ended`.
  child.stdin.on('error', () => {});
  let last = '';
  const errors = lineCutter(LONGEST_LINE);
  child.stderr.on('data', (bytes: Buffer) => {
    for (const line of errors.push(bytes)) {
      const said = 'text' in line ? line.text.trim() : `a line of ${line.tooLong} bytes`;
      if (said !== '') text((last = said));
    }
  });
  return {
    stream: ndJsonStream(Writable.toWeb(child.stdin), messagesOf(child.stdout, text), {
      maxMessageBytes: MOST_MESSAGE,
    }),
    ended,
    lastWords: () => last,
    async close() {
      child.stdin.end();
      if (await isWithin(ended, LET_MS)) return;
      child.kill('SIGTERM');
      if (!(await isWithin(ended, ASK_MS))) child.kill('SIGKILL');
    },
  };
}

const isWithin = (event: Promise<unknown>, ms: number): Promise<boolean> =>
  Promise.race([
    event.then(() => true),
    new Promise<false>((resolve) => void setTimeout(resolve, ms, false)),
  ]);

/** Only what may be a message: banners and warnings on standard output are common and harmless. */
function messagesOf(output: Readable, text: (line: string) => void): ReadableStream<Uint8Array> {
  const lines = lineCutter(MOST_MESSAGE);
  const encoder = new TextEncoder();
  return new ReadableStream({
    start(controller) {
      const pass = (cut: ReturnType<typeof lines.push>): void => {
        for (const line of cut) {
          if ('tooLong' in line) text(`a line of ${line.tooLong} bytes`);
          else if (line.text.trimStart().startsWith('{'))
            controller.enqueue(encoder.encode(`${line.text}\n`));
          else if (line.text.trim() !== '') text(line.text.trim());
        }
        if ((controller.desiredSize ?? 1) <= 0) output.pause();
      };
      output.on('data', (bytes: Buffer) => pass(lines.push(bytes)));
      output.on('end', () => {
        pass(lines.end());
        controller.close();
      });
      output.on('error', (error) => controller.error(error));
    },
    pull: () => void output.resume(),
    cancel: () => void output.destroy(),
  });
}
