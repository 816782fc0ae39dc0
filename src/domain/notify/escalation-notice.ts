import { type Attempt, type AttemptEvent, evolveAttempt } from '../work/attempt.ts';
import type { Entry, Notice } from './notice.ts';

export type EscalationNotice = Notice & {
  readonly attempt: Attempt;
  readonly severity: 'medium' | 'high';
  readonly text: string;
};

/** An agent that calls for help without end is heard this often; the rest is in its attempt. */
const MOST_TOLD = 5;

/** What the agent said, or what its silence says. */
function helpIn(event: AttemptEvent): Pick<EscalationNotice, 'severity' | 'text'> | null {
  if (event.type === 'attempt-silent' && event.tier === 'escalate')
    return {
      severity: 'medium',
      text: `nothing for ${Math.round(event.silentMs / 1000)} s; it is ended if it stays silent`,
    };
  if (event.type !== 'attempt-escalated' || event.severity === 'low') return null;
  return { severity: event.severity, text: event.text };
}

/** Every time an agent asked for a person's decision; what it only wanted to mention is left out. */
export function escalationNotices(
  subject: string,
  history: readonly Entry<AttemptEvent>[],
): EscalationNotice[] {
  const notices: EscalationNotice[] = [];
  let attempt: Attempt | null = null;
  for (const { seq, at, event } of history) {
    attempt = evolveAttempt(attempt, event, at);
    const said = helpIn(event);
    if (said === null) continue;
    const { severity, text } = said;
    const kind = 'needs_decision';
    notices.push({ subject, kind, epoch: seq, seq, at, reason: text, attempt, severity, text });
  }
  return notices.slice(0, MOST_TOLD);
}
