import { spawn } from 'node:child_process';
import type { Sent } from '../../domain/notify/delivery.ts';
import type { Message, Notifier } from '../../ports/notifier.ts';
import { wireOf } from './wire.ts';

export type NotifyCommand = {
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
};

/**
 * Runs a program of the user's: the message is its standard input as JSON and its environment
 * (CONVOY_NOTIFICATION_*). Words like {title} are filled in; where there are none, the title is the
 * last argument, so that `notify-send Convoy` says something.
 */
export function commandNotifier({ argv, cwd, env, timeoutMs }: NotifyCommand): Notifier {
  return {
    repeatable: false,
    send: async (message) => {
      const [program = '', ...args] = filled(argv, message);
      const variables = { ...env, CONVOY_TOKEN: undefined, ...variablesOf(message) };
      const run = { cwd, env: variables, input: JSON.stringify(wireOf(message)), timeoutMs };
      return runOnce(program, args, run);
    },
  };
}

type Run = {
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
  readonly input: string;
  readonly timeoutMs: number;
};

function runOnce(program: string, args: readonly string[], run: Run): Promise<Sent> {
  const { promise, resolve } = Promise.withResolvers<Sent>();
  const child = spawn(program, args, {
    cwd: run.cwd,
    env: run.env,
    stdio: ['pipe', 'ignore', 'pipe'],
    // Its own group, so that a shell's children end with it.
    detached: true,
  });
  let said = '';
  child.stderr.on('data', (chunk) => {
    if (said.length < MOST_SAID) said += String(chunk);
  });
  // A program that does not read what it is given is no trouble.
  child.stdin.on('error', () => {});
  child.stdin.end(run.input);
  const tooLong = setTimeout(() => {
    endGroup(child.pid);
    resolve({ kind: 'unsure', reason: `it did not end within ${run.timeoutMs / 1000} s` });
  }, run.timeoutMs);
  child.once('error', (error) => {
    if (child.pid === undefined) resolve({ kind: 'failed', reason: error.message });
  });
  child.once('exit', (code, signal) => resolve(sentOf(code, signal, said)));
  return promise.finally(() => {
    clearTimeout(tooLong);
    child.stderr.destroy();
  });
}

const MOST_SAID = 500;

/** A program that says no has not told anybody; one that was cut off may have. */
function sentOf(code: number | null, signal: string | null, said: string): Sent {
  if (code === 0) return { kind: 'delivered' };
  const detail = said.trim() === '' ? '' : `: ${said.trim().slice(0, MOST_SAID)}`;
  return code === null
    ? { kind: 'unsure', reason: `ended by ${signal}${detail}` }
    : { kind: 'failed', reason: `exit ${code}${detail}` };
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}

const PLACEHOLDER = /\{(id|kind|subject|title|text)\}/g;

function filled(argv: readonly string[], message: Message): readonly string[] {
  const values: Record<string, string> = {
    id: message.id,
    kind: message.kind,
    subject: subjectOf(message),
    title: message.title,
    text: message.text,
  };
  const words = argv.map((word) =>
    word.replaceAll(PLACEHOLDER, (hole, name: string) => values[name] ?? hole),
  );
  const hasHoles = argv.some((word) => word.search(PLACEHOLDER) !== -1);
  return hasHoles ? words : [...argv, message.title];
}

const variablesOf = (message: Message): NodeJS.ProcessEnv => ({
  CONVOY_NOTIFICATION_ID: message.id,
  CONVOY_NOTIFICATION_KIND: message.kind,
  CONVOY_NOTIFICATION_SUBJECT: subjectOf(message),
  CONVOY_NOTIFICATION_AT: new Date(message.at).toISOString(),
  CONVOY_NOTIFICATION_TITLE: message.title,
  CONVOY_NOTIFICATION_TEXT: message.text,
});

const subjectOf = ({ notifications }: Message): string =>
  notifications.map(({ subject }) => subject).join(' ');
