import type { Verdict } from './verdict.ts';

/** What a worker lane lets us watch for; it answers no HTTP. */
export type WorkerSigns = {
  /** Each must appear in its output; empty: any of the usual words will do. */
  readonly markers: readonly string[];
  /** Must appear at least twice (a beat), null when there is none. */
  readonly heartbeat: string | null;
  /** True for jobs that do their work and end with 0. */
  readonly mayEnd: boolean;
};

export type WorkerWatch = {
  readonly log: string;
  readonly aliveMs: number;
  readonly ended: { readonly exit: number | null; readonly signal: string | null } | null;
};

const USUAL =
  /\b(?:ready|started|starting|listening|connected|subscribed|consum\w*|polling|waiting|watching|processing|processed|running|worker|job|jobs|queue|tick|heartbeat|alive)\b/i;
const TROUBLE =
  /\b(?:error|exception|fatal|panic|traceback|refused|ECONN\w+|ENOTFOUND|unhandled|denied)\b/i;

/** Judges a worker by its being alive and by what it says. */
export function judgeWorker(signs: WorkerSigns, watch: WorkerWatch): Verdict {
  const early = judgeEnd(signs, watch);
  if (early !== null) return early;
  const missing = signs.markers.filter((marker) => !watch.log.includes(marker));
  if (missing.length > 0) return markerBreach(missing, watch);
  if (signs.heartbeat !== null && beats(watch.log, signs.heartbeat) < 2)
    return markerBreach([`${signs.heartbeat} (twice)`], watch);
  const proof = proofOf(signs, watch);
  if (proof === null)
    return {
      status: 'no-evidence',
      why: `the worker lived for ${seconds(watch)} but nothing in its output says that it works`,
    };
  return { status: 'healthy', why: proof };
}

/** True as soon as waiting longer could not add evidence. */
export function hasShownSigns(signs: WorkerSigns, log: string): boolean {
  const marked =
    signs.markers.length > 0
      ? signs.markers.every((marker) => log.includes(marker))
      : goodLine(log) !== null;
  return marked && (signs.heartbeat === null || beats(log, signs.heartbeat) >= 2);
}

function judgeEnd(signs: WorkerSigns, watch: WorkerWatch): Verdict | null {
  if (watch.ended === null || (signs.mayEnd && watch.ended.exit === 0)) return null;
  const how =
    watch.ended.exit === null ? `signal ${watch.ended.signal}` : `exit ${watch.ended.exit}`;
  return {
    status: 'failed',
    step: 'start',
    exit: watch.ended.exit,
    signal: watch.ended.signal,
    why: `the worker ended by itself after ${seconds(watch)} (${how}); it was expected to go on`,
    logTail: watch.log,
  };
}

function markerBreach(missing: readonly string[], watch: WorkerWatch): Verdict {
  return {
    status: 'breach',
    breaches: [
      {
        what: 'log-marker',
        source: 'log',
        limit: null,
        measured: null,
        samples: 0,
        message: `after ${seconds(watch)} its output does not show: ${missing.join(', ')}`,
      },
    ],
  };
}

function proofOf(signs: WorkerSigns, watch: WorkerWatch): string | null {
  const life =
    watch.ended === null ? `alive for ${seconds(watch)}` : `done after ${seconds(watch)}`;
  if (signs.markers.length > 0) return `${life}, its output shows ${signs.markers.join(', ')}`;
  if (signs.heartbeat !== null) return `${life}, its heartbeat is there`;
  if (watch.ended !== null) return `${life} with exit 0`;
  const line = goodLine(watch.log);
  return line === null ? null : `${life}, it says "${line.slice(0, 120)}"`;
}

const goodLine = (log: string): string | null =>
  log.split('\n').find((line) => USUAL.test(line) && !TROUBLE.test(line)) ?? null;

const beats = (log: string, heartbeat: string): number =>
  heartbeat === '' ? 0 : log.split(heartbeat).length - 1;

const seconds = (watch: WorkerWatch): string => `${Math.round(watch.aliveMs / 100) / 10} s`;
