import type { MedicStep } from '../../domain/ship/run/run.ts';
import { unreachable } from '../../lib/unreachable.ts';
import type { ModelEvent } from '../../ports/model.ts';

const LONGEST = 600;

/** A step of a model as the journal keeps it: who was asked for what, and how the answer begins. */
export function medicStep(lane: string, event: ModelEvent): MedicStep {
  const { turn } = event;
  const step = (how: MedicStep['step'], text: string, tool: string | null = null): MedicStep => ({
    lane,
    turn,
    step: how,
    tool,
    text: text.length <= LONGEST ? text : `${text.slice(0, LONGEST)}…`,
  });
  switch (event.type) {
    case 'turn-started':
      return step('asked', '');
    case 'said':
      return step('said', event.text);
    case 'tool-called':
      return step('called', JSON.stringify(event.input ?? {}), event.tool);
    case 'tool-answered':
      return step('answered', event.output, event.tool);
    case 'tool-refused':
      return step('refused', event.reason, event.tool);
    case 'retrying':
      return step('retried', event.problem.message);
    case 'turn-ended': {
      const { inputTokens, outputTokens, usd } = event.usage;
      return step('ended', `${inputTokens} + ${outputTokens} tokens, ${usd.toFixed(4)} USD so far`);
    }
    default:
      return unreachable(event);
  }
}
