import { err, ok, type Result } from '../../lib/result.ts';
import { LONGEST_TITLE } from './task.ts';

/** What a coordinator may say: which of the ready tasks first, and work it thinks is missing. */
export type Choice = {
  /** Ready tasks, the first to start first; those it leaves out follow in the usual order. */
  readonly order: readonly string[];
  readonly proposals: readonly Proposal[];
};

/** A child of one of the tasks it was shown. It is written down, and starts only when a person adds it. */
export type Proposal = {
  readonly parent: string;
  readonly title: string;
  readonly description: string;
};

const MOST_PROPOSALS = 10;
const LONGEST_DESCRIPTION = 20_000;

/** Reads a coordinator's answer and holds it against what it was asked about. Says what is wrong with it. */
export function readChoice(text: string, ready: readonly string[]): Result<Choice, string> {
  let said: unknown;
  try {
    said = JSON.parse(text);
  } catch {
    return err('its answer is not JSON');
  }
  if (!isRecord(said)) return err('its answer is not an object');
  const { order: wished = [], propose = [] } = said;
  const order = idsIn(wished);
  if (order === null) return err('"order" is not a list of ids');
  const unknown = order.filter((id) => !ready.includes(id));
  if (unknown.length > 0)
    return err(`${unknown.slice(0, 3).join(', ')} is not among the ready tasks`);
  if (new Set(order).size < order.length) return err('"order" names a task twice');
  if (!Array.isArray(propose)) return err('"propose" is not a list');
  if (propose.length > MOST_PROPOSALS) return err(`it proposes more than ${MOST_PROPOSALS} tasks`);
  const proposals: Proposal[] = [];
  for (const each of propose as unknown[]) {
    const proposal = proposalIn(each, ready);
    if (!proposal.ok) return proposal;
    proposals.push(proposal.value);
  }
  return ok({ order, proposals });
}

const idsIn = (said: unknown): string[] | null =>
  Array.isArray(said) && said.every((id) => typeof id === 'string') ? said : null;

function proposalIn(said: unknown, ready: readonly string[]): Result<Proposal, string> {
  if (!isRecord(said)) return err('a proposal is not an object');
  const { parent, title, description = '' } = said;
  if (typeof parent !== 'string' || !ready.includes(parent))
    return err('a proposal names no parent among the ready tasks');
  if (typeof title !== 'string' || title.trim() === '' || title.length > LONGEST_TITLE)
    return err('a proposal has no proper title');
  if (typeof description !== 'string' || description.length > LONGEST_DESCRIPTION)
    return err('the description of a proposal is no text, or too long');
  return ok({ parent, title: title.trim(), description });
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
