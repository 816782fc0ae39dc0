import { spawn } from 'node:child_process';
import { keepAlive } from '../../lib/keep-alive.ts';
import { err, ok, type Result } from '../../lib/result.ts';
import type { NoAnswer } from '../../ports/repository.ts';
import { errored, type GitCommand, gitCommandLine, type RunnerOptions } from './run.ts';

/** How one kind of question is put to a git that stays, and how its answer is read. */
export type Protocol<Question, Answer> = {
  readonly what: string;
  readonly args: readonly string[];
  /** A program that starts git, with its arguments. */
  readonly through?: readonly string[];
  readonly say: (question: Question) => string;
  /** One whole answer from the beginning of the text, or null while there is not enough of it. */
  readonly read: (
    text: Buffer,
    question: Question,
  ) => { readonly length: number; readonly answer: Answer } | 'nonsense' | null;
};

/**
 * One git that stays and answers many questions, where each would start a process of its own. It begins
 * with the first question and goes when nobody asks for a while. When it ends early, whoever waits gets
 * no answer and may start a process of its own, which says what is wrong.
 */
export type Standing<Question, Answer> = {
  ask(question: Question): Promise<Result<Answer, NoAnswer>>;
};

/** A repository that nobody works in has no processes. */
const IDLE_MS = 10_000;
/** Packs that were deleted meanwhile stay readable to a git that had them open; so none stays for long. */
const OLDEST_MS = 60_000;
const ANSWER_MS = 30_000;

export type StandingOptions = RunnerOptions & { readonly answerMs?: number };

export function standing<Question, Answer>(
  protocol: Protocol<Question, Answer>,
  base: Pick<GitCommand, 'cwd' | 'env'>,
  options: StandingOptions = {},
): Standing<Question, Answer> {
  let one: One<Question, Answer> | null = null;
  const isThere = (): boolean => one !== null && (!one.isOver() || one.isMissing());
  return {
    ask: (question) => {
      if (options.signal?.aborted === true)
        return Promise.resolve(err({ kind: 'stopped', what: protocol.what }));
      if (one === null || !isThere()) one = begin(protocol, base, options);
      return one.ask(question);
    },
  };
}

type Waiting<Question, Answer> = {
  readonly question: Question;
  readonly answer: (said: Result<Answer, NoAnswer>) => void;
};

type One<Question, Answer> = Standing<Question, Answer> & {
  isOver(): boolean;
  /** Its program is not there, or never answers; to try it again and again would only cost time. */
  isMissing(): boolean;
};

function begin<Question, Answer>(
  { what, say, read, ...protocol }: Protocol<Question, Answer>,
  base: Pick<GitCommand, 'cwd' | 'env'>,
  options: StandingOptions,
): One<Question, Answer> {
  const born = performance.now();
  const child = startGit(protocol, base, options);
  const waiting = conversation(read);
  let [over, absent] = [false, false];
  let timer: NodeJS.Timeout | undefined;
  const end = (because: NoAnswer): void => {
    over = true;
    clearTimeout(timer);
    options.signal?.removeEventListener('abort', onAbort);
    waiting.giveUp(because);
    child.stdin.end();
    child.kill('SIGKILL');
  };
  const onAbort = (): void => end({ kind: 'stopped', what });
  options.signal?.addEventListener('abort', onAbort, { once: true });
  /** Busy, it is waited for and must answer in time; at rest, it keeps nobody and goes soon. */
  const pace = (): void => {
    clearTimeout(timer);
    if (over) return;
    const busy = waiting.isBusy();
    keepAlive([child, child.stdin, child.stdout], busy);
    timer = busy
      ? setTimeout(() => {
          // Whoever starts it did not do to it what makes it answer.
          absent = protocol.through !== undefined;
          end(errored('timed_out', what, ''));
        }, options.answerMs ?? ANSWER_MS)
      : setTimeout(() => end(errored('io', what, 'it was at rest')), IDLE_MS).unref();
  };
  child.stdout.on('data', (chunk: Buffer) => {
    const heard = waiting.hear(chunk);
    if (heard === 'nonsense') end(errored('git_failed', what, 'an answer not expected'));
    else if (heard === 'answered') pace();
  });
  child.stdin.on('error', () => undefined);
  child.on('error', (error) => {
    absent = 'code' in error && error.code === 'ENOENT';
    end(errored(absent ? 'git_missing' : 'io', what, error.message));
  });
  child.on('exit', () => end(errored('git_failed', what, 'it ended')));
  return {
    isOver: () => over || performance.now() - born > OLDEST_MS,
    isMissing: () => absent,
    ask: (question) =>
      new Promise((answer) => {
        if (over) return answer(err(errored('git_missing', what, 'it did not start')));
        waiting.add({ question, answer });
        child.stdin.write(say(question));
        pace();
      }),
  };
}

/** Questions in the order they were put, and the text that answers them in the same order. */
function conversation<Question, Answer>(read: Protocol<Question, Answer>['read']) {
  const asked: Waiting<Question, Answer>[] = [];
  let text: Buffer = Buffer.alloc(0);
  return {
    add: (one: Waiting<Question, Answer>): void => void asked.push(one),
    isBusy: (): boolean => asked.length > 0,
    giveUp: (because: NoAnswer): void => {
      for (const { answer } of asked.splice(0)) answer(err(because));
    },
    hear: (chunk: Buffer): 'answered' | 'more' | 'nonsense' => {
      text = text.length === 0 ? chunk : Buffer.concat([text, chunk]);
      while (asked[0] !== undefined) {
        const found = read(text, asked[0].question);
        if (found === null) return 'more';
        if (found === 'nonsense') return 'nonsense';
        text = text.subarray(found.length);
        asked.shift()?.answer(ok(found.answer));
      }
      return 'answered';
    },
  };
}

function startGit(
  { args, through = [] }: Pick<Protocol<never, never>, 'args' | 'through'>,
  base: Pick<GitCommand, 'cwd' | 'env'>,
  options: RunnerOptions,
) {
  const git = gitCommandLine({ ...base, args }, options);
  const [program = git.program, ...rest] = [...through, git.program, ...git.args];
  return spawn(program, rest, {
    cwd: base.cwd,
    env: git.env,
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}
