import { spawn } from 'node:child_process';
import { keepAlive } from '../../lib/keep-alive.ts';
import { type Frame, framesIn, frameOf } from './frames.ts';
import type { Launch, LaunchEnd, LaunchSpec } from '../../ports/launch.ts';
import { STARTER_SOURCE } from './starter-source.ts';

/**
 * Starts programs through a small process of its own. A fork copies the tables of our whole memory and stops
 * everything else we do meanwhile: several milliseconds for an engine, one for a small process. It begins
 * when programs are started often, and goes when they no longer are; until it is ready, and when it
 * cannot begin, we start them ourselves.
 */
export function startsElsewhere(node: string, launchHere: Launch, idleMs = IDLE_MS): Launch {
  let one: Starter | null = null;
  const times: number[] = [];
  const isBusy = (): boolean => {
    const now = performance.now();
    times.push(now);
    if (times.length > OFTEN) times.shift();
    return times.length === OFTEN && now - (times[0] ?? 0) < WITHIN_MS;
  };
  return (spec) => {
    if (one?.isOver() === true) one = null;
    if (isBusy()) one ??= begin(node, idleMs);
    return one?.isReady() === true ? one.launch(spec) : launchHere(spec);
  };
}

const OFTEN = 4;
const WITHIN_MS = 1000;
/** A workspace that rests has no processes. */
const IDLE_MS = 5000;

type Starter = { readonly launch: Launch; isReady(): boolean; isOver(): boolean };

const GONE: LaunchEnd = {
  kind: 'not-started',
  code: 'EPIPE',
  message: 'the process that starts programs ended',
};

function begin(node: string, idleMs: number): Starter {
  const child = spawn(node, ['--max-semi-space-size=1', '-e', STARTER_SOURCE], {
    env: {},
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  const waiting = new Map<number, (end: LaunchEnd) => void>();
  let [ready, over, last] = [false, false, 0];
  let rest: NodeJS.Timeout | undefined;
  const end = (): void => {
    over = true;
    clearTimeout(rest);
    for (const tell of waiting.values()) tell(GONE);
    waiting.clear();
    child.stdin.end();
  };
  const pace = (): void => {
    clearTimeout(rest);
    // At rest it keeps nobody here.
    keepAlive([child, child.stdin, child.stdout], waiting.size > 0);
    if (waiting.size === 0) rest = setTimeout(end, idleMs).unref();
  };
  child.on('error', end);
  child.on('exit', end);
  child.stdin.on('error', () => undefined);
  child.stdout.on(
    'data',
    framesIn((frame) => {
      ready = true;
      const { id } = frame.head;
      if (typeof id !== 'number') return;
      waiting.get(id)?.(endOf(frame));
      waiting.delete(id);
      pace();
    }),
  );
  pace();
  return {
    isReady: () => ready && !over,
    isOver: () => over,
    launch: ({ input = '', mostBytes, ...spec }: LaunchSpec) => {
      last += 1;
      const id = last;
      const ended = new Promise<LaunchEnd>((resolve) => waiting.set(id, resolve));
      child.stdin.write(frameOf({ id, ...spec, most: mostBytes }, Buffer.from(input)));
      pace();
      return { end: ended, kill: () => void child.stdin.write(frameOf({ stop: id })) };
    },
  };
}

function endOf({ head, bytes }: Frame): LaunchEnd {
  const { failed } = head;
  if (typeof failed === 'object' && failed !== null && 'code' in failed && 'message' in failed)
    return { kind: 'not-started', code: String(failed.code), message: String(failed.message) };
  return {
    kind: 'ended',
    code: typeof head['code'] === 'number' ? head['code'] : null,
    signal: typeof head['signal'] === 'string' ? head['signal'] : null,
    stdout: bytes,
    stderr: typeof head['stderr'] === 'string' ? head['stderr'] : '',
    full: head['full'] === true,
  };
}
