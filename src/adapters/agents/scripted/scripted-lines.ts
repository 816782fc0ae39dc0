import type { AgentEvent } from '../../../ports/agent.ts';
import { countIn, type Json, numberIn, textIn } from '../json.ts';

/** Reads a line of the script runner. */
export function readScriptedLine(line: Json): AgentEvent[] {
  const id = textIn(line, 'id');
  switch (line['type']) {
    case 'step':
      return [
        { kind: 'tool-call', id, tool: textIn(line, 'do'), target: textIn(line, 'target') || null },
      ];
    case 'step-done':
      return [{ kind: 'tool-result', id, outcome: 'ok', text: '' }];
    case 'step-failed':
      return stepFailed(id, textIn(line, 'text'));
    case 'message':
      return [{ kind: 'message', text: textIn(line, 'text'), thinking: false }];
    case 'usage':
      return [
        {
          kind: 'usage',
          scope: 'step',
          tokens: { input: countIn(line, 'input'), output: countIn(line, 'output') },
          costUsd: numberIn(line, 'costUsd'),
        },
      ];
    case 'end':
      return [{ kind: 'note', code: 'turn-completed', text: '' }];
    default:
      return [];
  }
}

const stepFailed = (id: string, text: string): AgentEvent[] => [
  { kind: 'tool-result', id, outcome: 'failed', text },
  {
    kind: 'error',
    code: 'step-failed',
    message: `step ${id}: ${text}`,
    status: null,
    fatal: true,
  },
];
