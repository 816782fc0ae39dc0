import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable } from 'node:stream';
import { keepAlive } from '../../lib/keep-alive.ts';
import { EXECUTION_MARKER } from '../../ports/executor.ts';

/** The wrapper's word after it has recorded what it did. */
export type Said = 'running' | 'ended' | 'taken';

/** A wrapper process, which runs one execution after the other. */
export type Wrapper = {
  /** True once it has begun, false when it never will. */
  readonly ready: Promise<boolean>;
  /** Hands it an execution; null when it is gone without a word about it. Only when it has none. */
  execute(message: string, told: Told): Promise<Said | null>;
  /** It gets no further execution: it goes as soon as the one it has is over. */
  release(): void;
  /** Whether it would take another execution after the one it has. */
  isFree(): boolean;
  onGone(tell: () => void): void;
  /** The last things it complained of. */
  complaints(): string;
  /** Whether it ended in a way that left it no time to keep its complaints itself. */
  crashed(): boolean;
};

/** Called as the words come, before any promise that waits for them. */
export type Told = {
  running(): void;
  /** The execution is over, or its wrapper is gone. */
  over(): void;
};

const MOST_COMPLAINTS = 2000;

/** Begins a wrapper. It keeps this process alive only while it is asked to start something. */
export function beginWrapper(node: string, file: string, directory: string): Wrapper {
  const child: ChildProcess = spawn(node, [file], {
    cwd: directory,
    env: outerMark(),
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  let complaints = '';
  let released = false;
  const complain = (text: string): void => {
    complaints = `${complaints}${text}`.slice(-MOST_COMPLAINTS);
  };
  child.once('error', (error) => complain(error.message));
  const talk = talkWith(child);
  child.stderr?.setEncoding('utf8').on('data', complain);
  child.stdin?.on('error', () => {});
  stay(child, false);
  return {
    ready: talk.ready,
    execute: async (message, told) => {
      if (talk.isGone()) return null;
      const answer = talk.nextTurn(told);
      child.stdin?.write(message);
      return answer;
    },
    release: () => {
      released = true;
      child.stdin?.end();
    },
    isFree: () => !released && !talk.isGone(),
    onGone: talk.onGone,
    complaints: () => complaints,
    crashed: () => child.signalCode !== null || (child.exitCode ?? 0) > 1,
  };
}

type Turn = { readonly told: Told; readonly answer: (said: Said | null) => void };

/** Its words, as answers to what it was last handed. */
function talkWith(child: ChildProcess) {
  const begun = Promise.withResolvers<boolean>();
  const mourners: (() => void)[] = [];
  let turn: Turn | null = null;
  let gone = false;
  const finish = (said: Said | null): void => {
    const last = turn;
    turn = null;
    last?.answer(said);
    last?.told.over();
  };
  const leave = (): void => {
    if (gone) return;
    gone = true;
    begun.resolve(false);
    finish(null);
    for (const tell of mourners) tell();
  };
  eachLine(child.stdout, (word) => {
    if (word === 'ready') begun.resolve(true);
    else if (word === 'ended' || word === 'taken') finish(word);
    else if (word === 'running') {
      turn?.told.running();
      turn?.answer('running');
    }
  });
  for (const name of ['close', 'error']) child.once(name, leave);
  return {
    ready: begun.promise,
    isGone: () => gone,
    onGone: (tell: () => void) => void mourners.push(tell),
    nextTurn: (told: Told): Promise<Said | null> => {
      stay(child, true);
      return new Promise((resolve) => {
        const answer = (said: Said | null): void => {
          stay(child, false);
          resolve(said);
        };
        turn = { told, answer };
      });
    },
  };
}

function eachLine(stream: Readable | null, tell: (line: string) => void): void {
  let begun = '';
  stream?.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${begun}${text}`.split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) tell(line);
  });
}

const stay = (child: ChildProcess, stays: boolean): void =>
  keepAlive([child, child.stdin, child.stdout, child.stderr], stays);

/** When we ourselves run inside an execution, what we start ends with it. */
function outerMark(): Record<string, string> {
  const outer = process.env[EXECUTION_MARKER];
  return outer === undefined ? {} : { [EXECUTION_MARKER]: outer };
}
