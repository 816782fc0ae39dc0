import type { Verdict } from '../../domain/ship/rehearsal/verdict.ts';
import type { ReadyOutcome } from './readiness.ts';
import type { Run } from './run.ts';
import { hasForeignListener } from './sockets.ts';
import type { Running } from './start.ts';

const ADDRESS_TAKEN = /EADDRINUSE|address already in use|only one usage of each socket/i;

/** Why a service that was started did not answer. */
export function whyNotReady(
  run: Run,
  running: Running,
  outcome: Exclude<ReadyOutcome, { kind: 'ready' }>,
): Verdict {
  if (outcome.kind === 'stopped') return { status: 'stopped', step: 'start' };
  if (outcome.kind === 'foreign') return foreign(outcome.port);
  const named = run.request.lane.port;
  const text = running.log.tail();
  if (
    named !== null &&
    ADDRESS_TAKEN.test(text) &&
    hasForeignListener(named, [], running.network.tables)
  )
    return foreign(named);
  // Without its data store no service can be blamed for not starting.
  const missing = run.stores.filter(({ state }) => state === 'missing').map(({ name }) => name);
  if (missing.length > 0) return { status: 'missing-toolchain', missing };
  const ended = outcome.kind === 'ended' ? outcome.ended : { exit: null, signal: null };
  return { status: 'failed', step: 'start', ...ended, why: reason(outcome), logTail: text };
}

function reason(outcome: Extract<ReadyOutcome, { kind: 'ended' | 'silent' }>): string {
  const seconds = Math.round(outcome.ms / 100) / 10;
  if (outcome.kind === 'ended') {
    const { exit, signal } = outcome.ended;
    return `the service ended after ${seconds} s without answering (${exit === null ? `signal ${signal}` : `exit ${exit}`})`;
  }
  return outcome.ports.length === 0
    ? `the service runs but listened on no port within ${seconds} s`
    : `the service listens on ${outcome.ports.join(', ')} but gave no HTTP answer within ${seconds} s`;
}

function foreign(port: number): Verdict {
  return {
    status: 'errored',
    step: 'start',
    why: `port ${port} is held by another process: its answers are not the service's; free the port and try again`,
  };
}
