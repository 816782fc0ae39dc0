import type { Cell, Colour, Palette } from './paint.ts';

/** What a status means for the reader; each has one shape and one colour everywhere. */
const LOOKS = {
  waiting: { symbol: '○', colour: 'grey' },
  running: { symbol: '●', colour: 'blue' },
  queued: { symbol: '◐', colour: 'indigo' },
  good: { symbol: '✓', colour: 'green' },
  person: { symbol: '◆', colour: 'amber' },
  bad: { symbol: '✗', colour: 'red' },
  left: { symbol: '–', colour: 'grey' },
} as const satisfies Record<string, { symbol: string; colour: Colour }>;
type Look = keyof typeof LOOKS;

export type Noun = 'task' | 'convoy' | 'attempt' | 'change' | 'run' | 'review' | 'check';

const STATUSES: Readonly<Record<Noun, Readonly<Record<string, Look>>>> = {
  task: {
    open: 'waiting',
    in_progress: 'running',
    submitted: 'queued',
    merged: 'good',
    closed: 'good',
    failed: 'bad',
    skipped: 'left',
    cancelled: 'left',
    deferred: 'waiting',
    pinned: 'waiting',
    blocked: 'person',
  },
  convoy: {
    staged_ready: 'waiting',
    staged_warnings: 'person',
    open: 'running',
    paused: 'waiting',
    stalled: 'person',
    landing: 'running',
    landed: 'good',
    closed: 'good',
    cancelled: 'left',
  },
  attempt: {
    starting: 'running',
    running: 'running',
    submitting: 'queued',
    done: 'good',
    failed: 'bad',
    stopped: 'left',
    lost: 'bad',
  },
  change: {
    queued: 'queued',
    verifying: 'running',
    waiting_push: 'queued',
    merged: 'good',
    conflicted: 'bad',
    red: 'bad',
    withdrawn: 'left',
  },
  run: {
    pending: 'waiting',
    running: 'running',
    awaiting_approval: 'person',
    awaiting_fix: 'waiting',
    paused: 'waiting',
    interrupted: 'person',
    succeeded: 'good',
    rejected: 'bad',
    rolling_back: 'running',
    rolled_back: 'bad',
    rollback_failed: 'bad',
    failed: 'bad',
    cancelled: 'left',
  },
  review: {
    waiting: 'person',
    running: 'running',
    approved: 'good',
    rejected: 'bad',
    failed: 'bad',
    void: 'left',
  },
  check: { ok: 'good', warning: 'person', problem: 'bad' },
};

/** A status as a word, a shape and a colour. A word we do not know is shown as it is. */
export function status(noun: Noun, word: string, palette: Palette): Exclude<Cell, string> {
  const look = Object.hasOwn(STATUSES[noun], word) ? STATUSES[noun][word] : undefined;
  if (look === undefined) return { text: `· ${word}`, paint: (text) => text };
  const { symbol, colour } = LOOKS[look];
  return { text: `${symbol} ${word}`, paint: palette[colour] };
}

export const knownStatuses = (noun: Noun): string[] => Object.keys(STATUSES[noun]);
