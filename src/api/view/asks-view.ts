import type { AsksJson } from '../../contract/schemas/task.ts';
import { type Approval, isQuestion } from '../../domain/approval/approval.ts';

/** A question of an agent on the wire; its words are those it was asked in. */
export function asksView(approval: Approval): AsksJson {
  const { id, subject, details, summary, requestedAt } = approval;
  const isInput = isQuestion(approval);
  const text = details[isInput ? 'question' : 'summary'];
  const choices = details['choices'];
  return {
    approval: id,
    kind: isInput ? 'input' : 'permission',
    attempt: subject,
    text: typeof text === 'string' ? text : summary,
    choices: Array.isArray(choices) ? choices.map(String) : [],
    asked_at: new Date(requestedAt).toISOString(),
  };
}
