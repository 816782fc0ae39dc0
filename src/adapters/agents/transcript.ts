import type { AgentEvent, Transcript } from '../../ports/agent.ts';
import { unreachable } from '../../lib/unreachable.ts';

const MOST_REFUSALS = 50;
const MOST_OPEN = 100;

/** The transcript after one more event. */
export function addEvent(before: Transcript, event: AgentEvent): Transcript {
  return { ...before, events: before.events + 1, ...learnt(before, event) };
}

function learnt(before: Transcript, event: AgentEvent): Partial<Transcript> {
  switch (event.kind) {
    case 'message':
      return event.thinking ? {} : { lastMessage: event.text };
    case 'tool-call':
      return {
        toolCalls: before.toolCalls + 1,
        openCalls: [...before.openCalls.slice(-(MOST_OPEN - 1)), event.id],
      };
    case 'tool-result':
      return withResult(before, event);
    case 'usage':
      return spent(before, event);
    case 'session':
      return { session: event.id };
    case 'error':
      return { lastError: event, ...(event.fatal ? { fatal: event } : {}) };
    case 'note':
      // An agent that completes a turn has got over what went wrong before.
      return event.code === 'turn-completed' ? { completed: true, fatal: null } : {};
    default:
      return unreachable(event);
  }
}

function withResult(
  before: Transcript,
  { id, outcome, text }: Extract<AgentEvent, { kind: 'tool-result' }>,
): Partial<Transcript> {
  const openCalls = before.openCalls.filter((open) => open !== id);
  // Some agents tell a refusal when it happens and again at the end.
  const isRepeated = outcome === 'refused' && before.refusals.some((one) => one.id === id);
  if (isRepeated) return { openCalls };
  const toolResults = { ...before.toolResults, [outcome]: before.toolResults[outcome] + 1 };
  if (outcome !== 'refused' || before.refusals.length >= MOST_REFUSALS)
    return { openCalls, toolResults };
  return { openCalls, toolResults, refusals: [...before.refusals, { id, text }] };
}

function spent(
  before: Transcript,
  { scope, tokens, costUsd }: Extract<AgentEvent, { kind: 'usage' }>,
): Partial<Transcript> {
  if (scope === 'total') return { tokens, costUsd: costUsd ?? before.costUsd };
  return {
    tokens: {
      input: before.tokens.input + tokens.input,
      output: before.tokens.output + tokens.output,
    },
    costUsd: costUsd === null ? before.costUsd : (before.costUsd ?? 0) + costUsd,
  };
}
