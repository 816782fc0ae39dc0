import { type Attempt, type AttemptEvent, evolveAttempt } from '../work/attempt.ts';
import type { Entry, Notice } from './notice.ts';

export type EscalationNotice = Notice & {
  readonly attempt: Attempt;
  readonly severity: 'medium' | 'high';
  readonly text: string;
};

/** An agent that calls for help without end is heard this often; the rest is in its attempt. */
const MOST_TOLD = 5;

/** Every time an agent asked for a person's decision; what it only wanted to mention is left out. */
export function escalationNotices(
  subject: string,
  history: readonly Entry<AttemptEvent>[],
): EscalationNotice[] {
  const notices: EscalationNotice[] = [];
  let attempt: Attempt | null = null;
  for (const { seq, at, event } of history) {
    attempt = evolveAttempt(attempt, event, at);
    if (event.type !== 'attempt-escalated' || event.severity === 'low') continue;
    const { severity, text } = event;
    const kind = 'needs_decision';
    notices.push({ subject, kind, epoch: seq, seq, at, reason: text, attempt, severity, text });
  }
  return notices.slice(0, MOST_TOLD);
}
