import { spawn, type ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
import { err, ok, type Result } from '../../lib/result.ts';
import type { NoAnswer } from '../../ports/repository.ts';
import { errored, type GitCommand, gitCommandLine, type RunnerOptions } from './run.ts';

/** What an object is, by its full name or an expression that begins with one. */
export type ObjectInfo = { readonly id: string; readonly type: string; readonly bytes: Buffer };

/** Asks one git that stays for many objects, where each question would start a process of its own. */
export type Objects = {
  /** Null when there is no such object; `contents` are read only when asked for. */
  ask(expression: string, want: 'info' | 'contents'): Promise<Result<ObjectInfo | null, NoAnswer>>;
};

/** A repository that nobody works in has no processes. */
const IDLE_MS = 2000;
/** Packs that were deleted meanwhile stay readable to a git that had them open; so none stays for long. */
const OLDEST_MS = 60_000;
const ANSWER_MS = 30_000;
const LONGEST_HEADER = 4096;

export function objectsOf(
  base: Pick<GitCommand, 'cwd' | 'env'>,
  options: RunnerOptions = {},
): Objects {
  let reader: Reader | null = null;
  const current = (): Reader => {
    if (reader === null || reader.isOver()) reader = startReader(base, options);
    return reader;
  };
  return {
    ask: (expression, want) => {
      if (options.signal?.aborted === true)
        return Promise.resolve(err({ kind: 'stopped', what: WHAT }));
      return current().ask(expression, want);
    },
  };
}

const WHAT = 'git cat-file';

type Question = {
  readonly want: 'info' | 'contents';
  readonly answer: (said: Result<ObjectInfo | null, NoAnswer>) => void;
};

type Reader = Objects & { isOver(): boolean };

function startReader(base: Pick<GitCommand, 'cwd' | 'env'>, options: RunnerOptions): Reader {
  const born = performance.now();
  const child = startCatFile(base, options);
  const asked: Question[] = [];
  let over = false;
  let timer: NodeJS.Timeout | undefined;
  let text: Buffer = Buffer.alloc(0);
  const end = (because: NoAnswer): void => {
    over = true;
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
    for (const { answer } of asked.splice(0)) answer(err(because));
    child.stdin.end();
    child.kill('SIGKILL');
  };
  const onAbort = (): void => end({ kind: 'stopped', what: WHAT });
  options.signal?.addEventListener('abort', onAbort, { once: true });
  /** Busy, it is waited for and must answer in time; at rest, it keeps nobody and goes soon. */
  const pace = (): void => {
    clearTimeout(timer);
    if (over) return;
    const busy = asked.length > 0;
    keepAlive(child, busy);
    timer = busy
      ? setTimeout(() => end(errored('timed_out', WHAT, '')), ANSWER_MS)
      : setTimeout(() => end(errored('io', WHAT, 'it was at rest')), IDLE_MS).unref();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    text = text.length === 0 ? chunk : Buffer.concat([text, chunk]);
    while (asked[0] !== undefined) {
      const read = readAnswer(text, asked[0].want);
      if (read === null) return;
      if (read === 'nonsense') return end(errored('git_failed', WHAT, 'an answer nobody expected'));
      text = text.subarray(read.length);
      asked.shift()?.answer(ok(read.found));
    }
    pace();
  });
  child.stdin.on('error', () => undefined);
  child.on('error', (error) => {
    const missing = 'code' in error && error.code === 'ENOENT';
    end(errored(missing ? 'git_missing' : 'io', WHAT, error.message));
  });
  child.on('exit', () => end(errored('git_failed', WHAT, 'it ended')));
  return {
    isOver: () => over || performance.now() - born > OLDEST_MS,
    ask: (expression, want) =>
      new Promise((answer) => {
        asked.push({ want, answer });
        child.stdin.write(`${want} ${expression}\n`);
        pace();
      }),
  };
}

function startCatFile(base: Pick<GitCommand, 'cwd' | 'env'>, options: RunnerOptions) {
  const args = ['cat-file', '--batch-command'];
  const { program, args: all, env } = gitCommandLine({ ...base, args }, options);
  return spawn(program, all, {
    cwd: base.cwd,
    env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

function keepAlive(child: ChildProcess, busy: boolean): void {
  for (const each of [child, child.stdin, child.stdout]) {
    if (each !== child && !(each instanceof Socket)) continue;
    if (busy) each.ref();
    else each.unref();
  }
}

type Answer = { readonly length: number; readonly found: ObjectInfo | null };

/** One whole answer from the beginning of the text, or null while there is not enough of it. */
function readAnswer(text: Buffer, want: Question['want']): Answer | 'nonsense' | null {
  const end = text.indexOf(10);
  if (end < 0) return text.length > LONGEST_HEADER ? 'nonsense' : null;
  const header = text.subarray(0, end).toString('utf8');
  const known = /^([0-9a-f]{40,64}) (\w+) (\d+)$/.exec(header);
  if (known === null)
    return / (?:missing|ambiguous)$/.test(header) ? { length: end + 1, found: null } : 'nonsense';
  const [, id = '', type = '', size = '0'] = known;
  if (want === 'info') return { length: end + 1, found: { id, type, bytes: Buffer.alloc(0) } };
  const after = end + 1 + Number(size);
  // The content is followed by one line end of its own.
  if (text.length < after + 1) return null;
  return { length: after + 1, found: { id, type, bytes: text.subarray(end + 1, after) } };
}
