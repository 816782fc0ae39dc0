import { EventEmitter } from 'node:events';
import { Readable } from 'node:stream';
import type { Host, Sink } from '../../src/cli/host.ts';

export type FakeHost = Host & {
  readonly printed: { out: string; err: string };
  readonly streams: { out: EventEmitter; err: EventEmitter };
  interrupt(): void;
};

const never = async (): Promise<never> => {
  throw new Error('Not in this test');
};

/** A world in memory; nothing of it reaches the test's own terminal. */
export function fakeHost(over: Partial<Host> & { tty?: boolean } = {}): FakeHost {
  const printed = { out: '', err: '' };
  const listeners = new Set<() => void>();
  const streams = { out: new EventEmitter(), err: new EventEmitter() };
  const sink = (name: 'out' | 'err'): Sink =>
    Object.assign(streams[name], {
      write: (text: string, done?: (error?: Error | null) => void) => {
        printed[name] += text;
        done?.();
        return true;
      },
      isTTY: over.tty ?? false,
      columns: 100,
    });
  return {
    version: '9.9.9',
    env: {},
    cwd: '/nowhere',
    stdin: Readable.from([]),
    stdout: sink('out'),
    stderr: sink('err'),
    now: () => Date.parse('2026-01-02T03:04:05Z'),
    connect: async () => ({
      ok: false,
      error: { kind: 'not_found', code: 'no_workspace', message: 'There is no workspace here' },
    }),
    init: never,
    run: never,
    detach: never,
    running: never,
    stop: never,
    ship: { plan: never, drive: never, rehearse: never, demo: never },
    onInterrupt: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    ...over,
    printed,
    streams,
    interrupt: () => {
      for (const listener of listeners) listener();
    },
  };
}
