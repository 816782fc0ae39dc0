import { setTimeout as pause } from 'node:timers/promises';
import { callHost, inOrderOfHope } from '../../domain/ship/rehearsal/listening.ts';
import type { Listener } from '../../domain/ship/rehearsal/listening.ts';
import type { Readiness } from '../../ports/rehearsal.ts';
import type { Network } from './enclosure.ts';
import type { Family } from './family.ts';
import { ask } from './http-probe.ts';
import { hasForeignListener, listenersOf } from './sockets.ts';
import type { Ended, Started } from './step.ts';

export type ReadyWait = {
  readonly started: Started;
  readonly family: Family;
  readonly askedPort: number;
  readonly namedPort: number | null;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly network: Network;
};

export type ReadyOutcome =
  | { readonly kind: 'ready'; readonly readiness: Readiness; readonly daemonised: boolean }
  | { readonly kind: 'ended'; readonly ended: Ended; readonly ms: number }
  | { readonly kind: 'foreign'; readonly port: number }
  | { readonly kind: 'silent'; readonly ports: readonly number[]; readonly ms: number }
  | { readonly kind: 'stopped' };

const LOOK_MS = 20;
const ANSWER_MS = 10_000;
// A side door (metrics, debugger) may open before the port that was asked for.
const SETTLE_MS = 700;

/** Waits for any HTTP answer from a socket that one of our own processes holds. */
export async function waitForAnswer(wait: ReadyWait): Promise<ReadyOutcome> {
  const from = performance.now();
  let settled = Infinity;
  for (;;) {
    if (wait.signal.aborted) return { kind: 'stopped' };
    const ms = performance.now() - from;
    const ended = wait.started.outcome();
    // A service that puts itself in the background leaves only its mark.
    const rows = ended === null ? wait.family.members() : wait.family.sweep();
    if (ended !== null && rows.length === 0) return { kind: 'ended', ended, ms };
    const own = inOrderOfHope(
      listenersOf(rows, wait.network.tables),
      wait.askedPort,
      wait.namedPort,
    );
    const found = await firstToAnswer(own, Math.max(50, wait.timeoutMs - ms), wait.network);
    if (found !== null) {
      settled = Math.min(settled, performance.now() + SETTLE_MS);
      if (hasForeignListener(found.port, own, wait.network.tables))
        return { kind: 'foreign', port: found.port };
      if (found.port === wait.askedPort || performance.now() >= settled)
        return ready(wait, found, performance.now() - from, ended !== null);
    }
    if (ms >= wait.timeoutMs) return whyNot(wait, own, ms);
    await pause(ms < 2_000 ? LOOK_MS : LOOK_MS * 5, undefined, { signal: wait.signal }).catch(
      () => {},
    );
  }
}

/** The most hopeful listener among those that answer about as fast as the fastest. */
async function firstToAnswer(
  own: readonly Listener[],
  leftMs: number,
  network: Network,
): Promise<Listener | null> {
  const answering: Listener[] = [];
  const all = own.map(async (listener) => {
    if ((await ask(`${urlOf(listener)}/`, Math.min(ANSWER_MS, leftMs), network)) === null)
      throw new Error('no answer');
    answering.push(listener);
  });
  const isAnswered = await Promise.any(all).then(
    () => true,
    () => false,
  );
  if (!isAnswered) return null;
  await Promise.race([Promise.allSettled(all), pause(100)]);
  return own.find((listener) => answering.includes(listener)) ?? null;
}

const urlOf = (listener: Listener): string => `http://${callHost(listener)}:${listener.port}`;

function ready(wait: ReadyWait, at: Listener, ms: number, daemonised: boolean): ReadyOutcome {
  return {
    kind: 'ready',
    daemonised,
    readiness: {
      ms: Math.round(ms),
      url: urlOf(at),
      askedPort: wait.askedPort,
      port: at.port,
      portMismatch: at.port !== wait.askedPort,
    },
  };
}

function whyNot(wait: ReadyWait, own: readonly Listener[], ms: number): ReadyOutcome {
  const expected = [wait.askedPort, ...(wait.namedPort === null ? [] : [wait.namedPort])];
  const taken =
    own.length === 0
      ? expected.find((port) => hasForeignListener(port, [], wait.network.tables))
      : undefined;
  return taken === undefined
    ? { kind: 'silent', ports: own.map(({ port }) => port), ms }
    : { kind: 'foreign', port: taken };
}
